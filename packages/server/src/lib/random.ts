import { randomBytes } from 'node:crypto'

/** The source of ids, names and jitter. Tests and simulations use a seeded one. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  bytes(size: number): Uint8Array
}

const poolSize = 8192

/** System randomness, drawn in blocks: one system call per id would cost more than the rest of the id. */
export function systemRandom(): Random {
  let pool = randomBytes(poolSize)
  let used = 0
  const bytes = (size: number): Uint8Array => {
    if (size > poolSize) return randomBytes(size)
    if (used + size > poolSize) {
      pool = randomBytes(poolSize)
      used = 0
    }
    used += size
    return pool.subarray(used - size, used)
  }
  return {
    bytes,
    next: () => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes(6)
      return (((a * 256 + b) * 256 + c) * 2 ** 24 + (d * 65_536 + e * 256 + f)) / 2 ** 48
    },
  }
}

/** Deterministic (mulberry32): for tests and simulations only. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return { next: () => word() / 2 ** 32, bytes: (size) => Uint8Array.from({ length: size }, () => word() & 255) }
}
