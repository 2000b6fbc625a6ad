import type { Random } from './random.ts'
import type { Clock } from './time.ts'

/** Three hexadecimal digits of each number of 12 bits. */
const hex3 = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'))
/** The digit of the variant has two random bits. */
const variants = ['8', '9', 'a', 'b']

/** UUIDv7 by RFC 9562: begins with the milliseconds, so that ids sort by age and new rows are adjacent in an index. */
export function createIdGenerator(clock: Clock, random: Random): () => string {
  let lastMicros = 0
  let lastMilliseconds = -1
  let time = ''
  return () => {
    // The 12 bits after the milliseconds contain the microseconds, so ids of one process never go backwards.
    lastMicros = Math.max(lastMicros + 1, clock.now())
    const milliseconds = Math.floor(lastMicros / 1000)
    const fraction = Math.floor(((lastMicros - milliseconds * 1000) * 4096) / 1000)
    if (milliseconds !== lastMilliseconds) {
      lastMilliseconds = milliseconds
      const digits = milliseconds.toString(16).padStart(12, '0')
      time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
    }
    const bytes = random.bytes(8)
    const at = (index: number): number => bytes[index] as number
    const [a, b] = [at(0), at(1)]
    return `${time}${hex3[fraction]}-${variants[a & 3]}${hex3[((a >> 2) << 6) | (b >> 2)]}-${digits6(at(2), at(3), at(4))}${digits6(at(5), at(6), at(7))}`
  }
}

const digits6 = (a: number, b: number, c: number): string => `${hex3[(a << 4) | (b >> 4)]}${hex3[((b & 15) << 8) | c]}`

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
