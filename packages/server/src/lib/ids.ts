import { hash } from 'node:crypto'
import type { Random } from './random.ts'
import type { Clock, Micros } from './time.ts'

const hexDigits = Buffer.from('0123456789abcdef')

/**
 * UUIDv7 by RFC 9562: begins with the milliseconds, so that ids sort by age and new rows are adjacent in an index. Written into one buffer: joining
 * the parts of a text takes longer, and leaves a text that is copied again when it is sent or stored.
 */
export function createIdGenerator(clock: Clock, random: Random): () => string {
  const id = Buffer.from('00000000-0000-7000-8000-000000000000')
  let lastMicros = 0
  let lastMilliseconds = -1
  return () => {
    // The 12 bits after the milliseconds contain the microseconds, so ids of one process never go backwards.
    lastMicros = Math.max(lastMicros + 1, clock.now())
    const milliseconds = Math.floor(lastMicros / 1000)
    const fraction = Math.floor(((lastMicros - milliseconds * 1000) * 4096) / 1000)
    if (milliseconds !== lastMilliseconds) {
      lastMilliseconds = milliseconds
      const digits = milliseconds.toString(16).padStart(12, '0')
      id.write(`${digits.slice(0, 8)}-${digits.slice(8)}`, 'latin1')
    }
    writeByte(id, 14, 0x70 | (fraction >> 8))
    writeByte(id, 16, fraction & 255)
    const bytes = random.bytes(8)
    const [a, b] = [bytes[0] as number, bytes[1] as number]
    // The variant is the bits 10.
    writeByte(id, 19, 0x80 | ((a & 3) << 4) | (a >> 4))
    writeByte(id, 21, ((a & 12) << 4) | (b >> 2))
    for (let index = 2; index < 8; index += 1) writeByte(id, 20 + 2 * index, bytes[index] as number)
    return id.toString('latin1')
  }
}

/** Writes a byte as two hexadecimal digits. */
function writeByte(text: Buffer, at: number, byte: number): void {
  text[at] = hexDigits[byte >> 4] as number
  text[at + 1] = hexDigits[byte & 15] as number
}

/** An id that is the same for a row that a client sends again: its time, so that ids sort by age, and the id that the client gave it. */
export function idAt(time: Micros, givenId: string): string {
  const milliseconds = Math.min(Math.max(Math.floor(time / 1000), 0), 0xffffffffffff)
  const digits = milliseconds.toString(16).padStart(12, '0')
  const random = hash('sha1', givenId, 'hex')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`
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
