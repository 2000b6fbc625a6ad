/**
 * Local time by brute force: reads `Intl` every three hours, and to the second around a change. Shares no code with the zones of the server, which
 * read the offset every four days.
 */
export interface ZoneModel {
  /** Offsets from UTC in seconds, each with its start. The first entry starts the covered range. */
  offsetPeriods: { from: number; offset: number }[]
  until: number
}

const utcSeconds = (year: number): number => Date.UTC(year, 0, 1) / 1000

const modelCache = new Map<string, ZoneModel>()

export function getZoneModel(zone: string, fromYear: number, untilYear: number): ZoneModel {
  const key = `${zone} ${fromYear} ${untilYear}`
  const model = modelCache.get(key) ?? scanZone(zone, utcSeconds(fromYear), utcSeconds(untilYear))
  modelCache.set(key, model)
  return model
}

function scanZone(zone: string, from: number, until: number): ZoneModel {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const offsetAt = (instant: number) => {
    const [year, month, day, hour, minute, second] = format
      .format(instant * 1000)
      .split(/[-,: ]+/)
      .map(Number) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - instant
  }
  const spells = [{ from, offset: offsetAt(from) }]
  for (let next = from + 10_800; next <= until; next += 10_800) {
    const before = spells.at(-1)!.offset
    if (offsetAt(next) === before) continue
    let changed = next - 10_800
    for (let step = 4096; step >= 1; step = Math.floor(step / 2)) while (changed + step < next && offsetAt(changed + step) === before) changed += step
    spells.push({ from: changed + 1, offset: offsetAt(changed + 1) })
  }
  return { offsetPeriods: spells, until }
}

/** When the clock changes. */
export const listTransitions = ({ offsetPeriods: spells }: ZoneModel): number[] => spells.slice(1).map(({ from }) => from)

/** All instants of a local time, or the replacement for a skipped one. */
function resolveLocalTime({ offsetPeriods: spells, until }: ZoneModel, local: number): { shown: number[]; standsIn?: number } {
  const shown = spells.flatMap(({ from, offset }, index) => {
    const instant = local - offset
    return instant >= from && instant < (spells[index + 1]?.from ?? until) ? [instant] : []
  })
  if (shown.length > 0) return { shown }
  for (const [index, { from, offset }] of spells.entries()) {
    const before = spells[index - 1]
    if (before && local >= from + before.offset && local < from + offset) return { shown, standsIn: from + (local - (from + before.offset)) }
  }
  return { shown }
}

/** Instants of local times, in order: skipped times are moved forward, repeated times count once or, with `everyRound`, each time. */
export function resolveLocalTimes(
  model: ZoneModel,
  locals: Iterable<number>,
  everyRound: boolean,
  window: { from: number; until: number },
): number[] {
  const found = new Set<number>()
  for (const local of locals) {
    const { shown, standsIn } = resolveLocalTime(model, local)
    for (const instant of standsIn === undefined ? (everyRound ? shown : shown.slice(0, 1)) : [standsIn]) found.add(instant)
  }
  return [...found].filter((instant) => instant >= window.from && instant <= window.until).sort((a, b) => a - b)
}
