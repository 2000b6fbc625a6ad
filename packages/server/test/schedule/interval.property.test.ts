import fc from 'fast-check'
import { expect, test } from 'vitest'
import { upcomingTimes } from '../../src/lib/schedule/schedule.ts'
import { formatTime } from '../../src/lib/time.ts'
import { firstYear, getSampledZoneModel, lastYear, listTestWindows, rulesPerZone, zones } from './sampled-zones.ts'
import { resolveLocalTimes } from './zone-model.ts'

const DAY = 86_400

test('intervals shorter than a day have a constant length', () => {
  const micros = fc.integer({ min: Date.UTC(2000, 0, 1) * 1000, max: Date.UTC(2100, 0, 1) * 1000 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: DAY * 1e6 - 1 }), micros, micros, fc.constantFrom(...zones), (interval, anchor, after, timezone) => {
      const schedule = { interval: interval / 1e6, anchor_date: formatTime(anchor), timezone }
      const found = upcomingTimes(schedule, { after, limit: 5 })
      expect(found).toHaveLength(5)
      for (const [index, time] of found.entries()) {
        expect((BigInt(time) - BigInt(anchor)) % BigInt(interval)).toBe(0n)
        expect(time).toBe(found[0]! + index * interval)
      }
      expect(found[0]).toBeGreaterThanOrEqual(after)
      expect(found[0]! - interval).toBeLessThan(after)
    }),
    { numRuns: 500 },
  )
})

test.each(zones)('intervals of days keep the local time in %s', (zone) => {
  const clock = getSampledZoneModel(zone)
  const anchors = fc.integer({ min: Date.UTC(firstYear - 1, 6, 1) / 1000, max: Date.UTC(lastYear, 6, 1) / 1000 })
  for (const stretch of listTestWindows(zone)) {
    fc.assert(
      fc.property(
        fc.constantFrom(DAY, DAY, 2 * DAY, 7 * DAY, 1.5 * DAY, DAY + 3600, DAY + 1),
        anchors,
        fc.integer({ min: 0, max: 4 * DAY }),
        (interval, anchor, late) => {
          const window = { from: stretch.from + late, until: stretch.until }
          const offset = clock.offsetPeriods.findLast(({ from }) => from <= anchor)!.offset
          const locals: number[] = []
          const first = anchor + offset
          for (let n = Math.floor((window.from - 2 * DAY - first) / interval); first + n * interval < window.until + 2 * DAY; n++)
            if (n !== 0) locals.push(first + n * interval)
          const expected = new Set(resolveLocalTimes(clock, locals, false, window))
          if (anchor >= window.from && anchor <= window.until) expected.add(anchor)
          const found = upcomingTimes(
            { interval, anchor_date: formatTime(anchor * 1e6), timezone: zone },
            { after: window.from * 1e6, until: window.until * 1e6, limit: 1000 },
          )
          expect(found.map((time) => time / 1e6)).toEqual([...expected].sort((a, b) => a - b))
        },
      ),
      { numRuns: rulesPerZone * 4 },
    )
  }
})
