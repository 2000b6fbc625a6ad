import { expect, test } from 'vitest'
import { SliceScheduler } from './slice-scheduler.ts'

test('runs steps round-robin for a few milliseconds per turn of the event loop', async () => {
  let now = 0
  const slices = new SliceScheduler(() => now)
  const done: string[] = []
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  function* work(name: string, steps: number): Generator<void, string> {
    for (let step = 0; step < steps; step += 1) {
      done.push(`${name}${step} ${turn}`)
      now += 0.003
      yield
    }
    return name
  }
  const both = Promise.all([slices.run(work('a', 3)), slices.run(work('b', 3))])
  setImmediate(count)
  expect(await both).toEqual(['a', 'b'])
  isOver = true
  // Two steps of three milliseconds exceed the slice of a turn.
  expect(done).toEqual(['a0 0', 'b0 0', 'a1 1', 'b1 1', 'a2 2', 'b2 2'])
})

test('continues with other work when one fails', async () => {
  const slices = new SliceScheduler(() => 0)
  const failing = slices.run(
    (function* (): Generator<void, void> {
      yield
      throw new Error('broken')
    })(),
  )
  const other = slices.run(
    (function* (): Generator<void, number> {
      yield
      return 1
    })(),
  )
  await expect(failing).rejects.toThrow('broken')
  expect(await other).toBe(1)
})
