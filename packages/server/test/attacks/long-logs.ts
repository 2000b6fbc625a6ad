import type { Attack } from './target.ts'

const lineBytes = 900_000
const readers = 4

/** Reads pages of lines that have almost a megabyte each. */
export const longLogs: Attack = async (target) => {
  const message = 'x'.repeat(lineBytes)
  for (let n = 0; n < 10; n += 1) {
    const line = { name: 'attack', level: 20, message, timestamp: new Date().toISOString() }
    await target.call(
      'POST',
      '/logs/',
      Array.from({ length: 10 }, () => line),
    )
  }
  return () => Promise.all(Array.from({ length: readers }, () => target.call('POST', '/logs/filter', {})))
}
