import { expect, test } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

test('does one step in each turn of the event loop, of each work in its turn', async () => {
  const turns = new TurnQueue()
  const done: string[] = []
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  function* work(name: string, steps: number): Generator<void, string> {
    for (let step = 0; step < steps; step += 1) {
      done.push(`${name}${step} in turn ${turn}`)
      yield
    }
    return name
  }
  const both = Promise.all([turns.run(work('a', 3)), turns.run(work('b', 2))])
  setImmediate(count)
  expect(await both).toEqual(['a', 'b'])
  isOver = true
  expect(done.map((text) => text.slice(0, 2))).toEqual(['a0', 'b0', 'a1', 'b1', 'a2'])
  expect(new Set(done.map((text) => text.slice(2))).size).toBe(5)
})

test('work that fails does not keep others from going on', async () => {
  const turns = new TurnQueue()
  const failing = turns.run(
    (function* (): Generator<void, void> {
      yield
      throw new Error('broken')
    })(),
  )
  const other = turns.run(
    (function* (): Generator<void, number> {
      yield
      return 1
    })(),
  )
  await expect(failing).rejects.toThrow('broken')
  expect(await other).toBe(1)
})
