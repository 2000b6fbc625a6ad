/** Converts between local times and instants. The zone is a parameter; `local` is the browser's zone. */

const formats = new Map<string, Intl.DateTimeFormat>()

function getFormatter(zone: string): Intl.DateTimeFormat {
  const cached = formats.get(zone)
  if (cached) return cached
  const made = new Intl.DateTimeFormat('en-US', {
    ...(zone === 'local' ? {} : { timeZone: zone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(zone, made)
  return made
}

/** Local time in a zone, encoded as if it were UTC. */
function wallClock(at: number, zone: string): number {
  const part = Object.fromEntries(
    getFormatter(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second)
}

/** UTC offset of a zone at an instant, in seconds. */
export const offsetSeconds = (at: number, zone: string): number => Math.round((wallClock(at, zone) - Math.floor(at / 1000) * 1000) / 1000)

/** `2030-01-31T09:00`, with seconds if needed, for a datetime-local input. */
export function toLocalInput(at: number, zone: string): string {
  const text = new Date(at + offsetSeconds(at, zone) * 1000).toISOString()
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19)
}

/** The instant of a local time. The first of two in an overlap; in a gap, later by the length of the gap. */
export function toInstant(local: string, zone: string): number | undefined {
  const wall = Date.parse(`${local}Z`)
  if (Number.isNaN(wall)) return undefined
  const day = 86_400_000
  const offsets = [offsetSeconds(wall - day, zone), offsetSeconds(wall + day, zone)]
  const candidates = offsets.map((offset) => wall - offset * 1000)
  const exact = candidates.filter((at) => wallClock(at, zone) === wall).sort((a, b) => a - b)
  return exact[0] ?? candidates[0]
}

/** With the UTC offset of the zone: `2030-01-31T09:00:00+01:00`. */
export function toZonedIso(local: string, zone: string): string | undefined {
  const at = toInstant(local, zone)
  if (at === undefined) return undefined
  const offset = offsetSeconds(at, zone)
  const minutes = Math.round(Math.abs(offset) / 60)
  const digits = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return `${toLocalInput(at, zone).padEnd(19, ':00')}${offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${digits}`}`
}
