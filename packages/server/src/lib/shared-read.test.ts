import { expect, test } from 'vitest'
import { sharedRead } from './shared-read.ts'

/** A read whose answers the test gives. */
function manualRead() {
  const calls: PromiseWithResolvers<number>[] = []
  const read = sharedRead(() => {
    const call = Promise.withResolvers<number>()
    calls.push(call)
    return call.promise
  })
  return { calls, read }
}

test('callers during a read share the next one, which begins after that', async () => {
  const { calls, read } = manualRead()
  const first = read()
  const others = [read(), read(), read()]
  expect(calls).toHaveLength(1)
  calls[0]?.resolve(1)
  expect(await first).toBe(1)
  await Promise.resolve()
  expect(calls).toHaveLength(2)
  const later = read()
  calls[1]?.resolve(2)
  expect(await Promise.all(others)).toEqual([2, 2, 2])
  await Promise.resolve()
  calls[2]?.resolve(3)
  expect(await later).toBe(3)
})

test('a read that fails does not concern the next one', async () => {
  const { calls, read } = manualRead()
  const first = read()
  const second = read()
  calls[0]?.reject(new Error('broken'))
  await expect(first).rejects.toThrow('broken')
  await Promise.resolve()
  calls[1]?.resolve(2)
  expect(await second).toBe(2)
})

test('a call after the end of a read begins another one at once', async () => {
  const { calls, read } = manualRead()
  const first = read()
  calls[0]?.resolve(1)
  await first
  await Promise.resolve()
  void read()
  expect(calls).toHaveLength(2)
})
