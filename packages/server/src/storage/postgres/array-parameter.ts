import type { SqlValue } from '../connection.ts'
import type { ColumnKind } from '../tables.ts'

type Element = string | number | boolean | Uint8Array | null

interface BinaryType {
  readonly oid: number
  /** The first byte of each element. */
  readonly prefix?: number
}

/** Types whose arrays are sent in binary, because escaping JSON for the text format is slow on both sides. */
const binaryTypes: Partial<Record<ColumnKind, BinaryType>> = {
  text: { oid: 25 },
  bytes: { oid: 17 },
  json: { oid: 114 },
  // The version of the binary format of jsonb.
  tags: { oid: 3802, prefix: 1 },
}

const headerBytes = 20

/** The values of one column of several rows. */
export function arrayParameter(kind: ColumnKind, values: readonly Element[]): SqlValue {
  const type = binaryTypes[kind]
  return type ? encode(type, values as readonly (string | Uint8Array | null)[]) : `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** One dimension, then each element with its length; -1 is null. */
function encode({ oid, prefix }: BinaryType, values: readonly (string | Uint8Array | null)[]): Buffer {
  const prefixBytes = prefix === undefined ? 0 : 1
  let size = headerBytes
  for (const value of values) size += 4 + (value === null ? 0 : prefixBytes + byteLength(value))
  const buffer = Buffer.allocUnsafe(size)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
  let at = headerBytes
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    let end = at + 4
    if (prefix !== undefined) end = buffer.writeUInt8(prefix, end)
    end += typeof value === 'string' ? buffer.write(value, end) : writeBytes(buffer, value, end)
    buffer.writeInt32BE(end - at - 4, at)
    at = end
  }
  return buffer
}

const byteLength = (value: string | Uint8Array): number => (typeof value === 'string' ? Buffer.byteLength(value) : value.length)

function writeBytes(buffer: Buffer, bytes: Uint8Array, at: number): number {
  buffer.set(bytes, at)
  return bytes.length
}
