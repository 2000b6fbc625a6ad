import type { Random } from './random.ts'
import type { Clock } from './time.ts'

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** UUIDv7 by RFC 9562: begins with the milliseconds, so that ids sort by age and new rows are adjacent in an index. */
export function createIdGenerator(clock: Clock, random: Random): () => string {
  let lastMicros = 0
  return () => {
    // The 12 bits after the milliseconds contain the microseconds, so ids of one process never go backwards.
    lastMicros = Math.max(lastMicros + 1, clock.now())
    const milliseconds = Math.floor(lastMicros / 1000)
    const fraction = Math.floor(((lastMicros - milliseconds * 1000) * 4096) / 1000)
    const time = milliseconds.toString(16).padStart(12, '0')
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = random.bytes(8)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${fraction.toString(16).padStart(3, '0')}-${hex[(a & 0x3f) | 0x80]}${hex[b]}-${hex[c]}${hex[d]}${hex[e]}${hex[f]}${hex[g]}${hex[h]}`
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Hyphens are optional, except in the wrapped forms. */
const LENIENT = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i
const WRAPPED = /^(?:urn:uuid:(?=[^{}]+$)|\{(?=[^{}]+\}$))(.{8}-.{4}-.{4}-.{4}-.{12})\}?$/

/** Returns the canonical form of a UUID in any accepted spelling; undefined for any other text. */
export function parseUuid(text: string): string | undefined {
  if (UUID.test(text)) return text
  const match = LENIENT.exec(WRAPPED.exec(text)?.[1] ?? text)
  return match ? match.slice(1).join('-').toLowerCase() : undefined
}
