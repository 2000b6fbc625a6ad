import { describe, expect, test } from 'vitest'
import { lowestFreePriority, shiftPriorities } from './priorities.ts'

const at = (...priorities: number[]) => priorities.map((priority) => ({ id: `q${priority}`, priority }))

describe('the lowest free priority', () => {
  test.each([
    [at(), 1],
    [at(1, 2, 3), 4],
    [at(1, 3, 4), 2],
    [at(2, 3), 1],
    [at(50, 1), 2],
  ])('among %j is %i', (queues, free) => {
    expect(lowestFreePriority(queues)).toBe(free)
  })
})

describe('an inserted queue', () => {
  test('moves others down to the next gap only', () => {
    expect(shiftPriorities(at(1, 2, 4), { id: 'new', priority: 1 })).toEqual([
      { id: 'q1', priority: 2 },
      { id: 'q2', priority: 3 },
    ])
  })

  test('moves no queue at a free priority', () => {
    expect(shiftPriorities(at(1, 2), { id: 'new', priority: 9 })).toEqual([])
    expect(shiftPriorities(at(1, 5), { id: 'new', priority: 3 })).toEqual([])
  })

  test('leaves queues that share a lower priority where they are', () => {
    const shared = [...at(1, 2), { id: 'other', priority: 1 }]
    expect(shiftPriorities(shared, { id: 'new', priority: 2 })).toEqual([{ id: 'q2', priority: 3 }])
  })

  test('leaves its old priority free when it moves up', () => {
    expect(shiftPriorities(at(1, 2, 3), { id: 'q3', priority: 1 })).toEqual([
      { id: 'q1', priority: 2 },
      { id: 'q2', priority: 3 },
    ])
    expect(shiftPriorities(at(1, 2, 3), { id: 'q1', priority: 7 })).toEqual([])
  })
})
