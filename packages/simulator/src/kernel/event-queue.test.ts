import { seededRandom } from '@millrace/server/lib/random.ts'
import { expect, test } from 'vitest'
import { EventQueue } from './event-queue.ts'

test('returns events by time, then by order, then by sequence', () => {
  const { next } = seededRandom(1)
  const events = Array.from({ length: 500 }, (_, sequence) => ({ at: Math.floor(next() * 20), order: Math.floor(next() * 3), sequence }))
  const queue = new EventQueue()
  for (const event of events) queue.push(event)
  const popped = Array.from({ length: events.length }, () => queue.pop())
  expect(popped).toEqual(events.toSorted((a, b) => a.at - b.at || a.order - b.order || a.sequence - b.sequence))
  expect(queue.pop()).toBeUndefined()
})
