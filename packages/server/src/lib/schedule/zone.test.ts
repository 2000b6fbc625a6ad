import { describe, expect, test } from 'vitest'
import { MICROS_PER_SECOND, toMicros } from '../time.ts'
import { getZone } from './zone.ts'
import { isZoneName } from './zone-names.ts'

const at = (text: string) => toMicros(text) / MICROS_PER_SECOND

test.each([
  ['America/New_York', '2031-03-09T06:59:59Z', -5],
  ['America/New_York', '2031-03-09T07:00:00Z', -4],
  ['Asia/Kathmandu', '2031-01-01T00:00:00Z', 5.75],
  ['Africa/Casablanca', '2026-02-20T00:00:00Z', 0],
  ['Africa/Casablanca', '2026-04-01T00:00:00Z', 1],
  ['America/Recife', '2000-10-10T00:00:00Z', -2],
  ['America/Recife', '2000-10-20T00:00:00Z', -3],
  ['Etc/GMT+5', '2031-01-01T00:00:00Z', -5],
  ['UTC', '2031-01-01T00:00:00Z', 0],
  ['Europe/London', '2031-01-01T00:00:00Z', 0],
])('has the offset of %s at %s: %d hours', (name, instant, hours) => {
  expect(getZone(name).offsetAt(at(instant))).toBe(hours * 3600)
})

test('has seconds in the offset of local mean time', () => {
  expect(getZone('America/New_York').offsetAt(at('1880-01-01T00:00:00Z'))).toBe(-(4 * 3600 + 56 * 60 + 2))
})

describe('a local time', () => {
  const paris = getZone('Europe/Paris')

  test('occurs once as a rule', () => {
    expect(paris.instantsOf(at('2031-06-01T12:00:00Z'))).toEqual({ first: at('2031-06-01T10:00:00Z') })
  })

  test('is skipped while clocks are set forward', () => {
    expect(paris.instantsOf(at('2031-03-30T01:59:59Z'))).toEqual({ first: at('2031-03-30T00:59:59Z') })
    expect(paris.instantsOf(at('2031-03-30T02:00:00Z'))).toEqual({ first: at('2031-03-30T01:00:00Z'), skipped: true })
    expect(paris.instantsOf(at('2031-03-30T02:59:59Z'))).toEqual({ first: at('2031-03-30T01:59:59Z'), skipped: true })
    expect(paris.instantsOf(at('2031-03-30T03:00:00Z'))).toEqual({ first: at('2031-03-30T01:00:00Z') })
  })

  test('occurs twice while clocks are set back', () => {
    expect(paris.instantsOf(at('2031-10-26T01:59:59Z'))).toEqual({ first: at('2031-10-25T23:59:59Z') })
    expect(paris.instantsOf(at('2031-10-26T02:00:00Z'))).toEqual({ first: at('2031-10-26T00:00:00Z'), second: at('2031-10-26T01:00:00Z') })
    expect(paris.instantsOf(at('2031-10-26T03:00:00Z'))).toEqual({ first: at('2031-10-26T02:00:00Z') })
  })
})

test('detects a change at the boundary of a block of 16 days', () => {
  const jerusalem = getZone('Asia/Jerusalem')
  expect(at('2023-03-24T00:00:00Z') % (16 * 86_400)).toBe(0)
  expect(jerusalem.instantsOf(at('2023-03-24T02:30:00Z'))).toEqual({ first: at('2023-03-24T00:30:00Z'), skipped: true })
  const chisinau = getZone('Europe/Chisinau')
  expect(at('2020-10-25T00:00:00Z') % (16 * 86_400)).toBe(0)
  expect(chisinau.instantsOf(at('2020-10-25T02:30:00Z'))).toEqual({ first: at('2020-10-24T23:30:00Z'), second: at('2020-10-25T00:30:00Z') })
})

test('accepts IANA names and aliases only', () => {
  for (const name of ['UTC', 'Europe/Kyiv', 'Europe/Kiev', 'US/Pacific', 'Asia/Kolkata', 'Asia/Calcutta', 'EST5EDT', 'Etc/GMT-14', 'GB']) {
    expect(isZoneName(name), name).toBe(true)
    expect(() => getZone(name), name).not.toThrow()
  }
  for (const name of ['', 'utc', 'Mars/Olympus', '+02:00', 'AET', 'America', 'localtime']) expect(isZoneName(name), name).toBe(false)
})
