import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './target.ts'

/** Backtracking compares it with a label at each character of the label. */
const pattern = (characters: number): string => `*${'a'.repeat(characters - 2)}b`

const label = (characters: number): string => 'a'.repeat(characters)

const event = (value: string) => ({
  id: crypto.randomUUID(),
  event: 'attack.label',
  occurred: new Date().toISOString(),
  resource: { 'prefect.resource.id': 'attack', text: value },
})

/** Patterns in automations: one that is too long, and one as long as allowed. Then events with long labels. */
export const automationPatterns: Attack = async (target) => {
  for (const characters of [20_000, 1000]) {
    await target.call('POST', '/automations/', {
      name: `pattern of ${characters}`,
      trigger: { type: 'event', posture: 'Reactive', expect: ['attack.label'], match: { text: pattern(characters) }, threshold: 1_000_000 },
      actions: [{ type: 'do-nothing' }],
    })
  }
  return () => target.call('POST', '/events', [event(label(200_000)), event(label(3000))])
}

/** The same patterns in queries for events. */
export const eventQueries: Attack = async (target) => {
  await target.call('POST', '/events', [event(label(200_000)), event(label(3000))])
  return async () => {
    for (const characters of [20_000, 1000])
      await target.call('POST', '/events/filter', {
        filter: { event: { name: ['attack.label'] }, resource: { labels: { text: pattern(characters) } } },
      })
  }
}

/** The same patterns in subscriptions, each of which sees the events of the others. */
export const eventSubscriptions: Attack = async (target) => async () => {
  const sockets = [20_000, 1000].map((characters) =>
    target.subscribe('/events/out', {
      type: 'filter',
      filter: { event: { name: ['attack.label'] }, resource: { labels: { text: pattern(characters) } } },
    }),
  )
  await target.call('POST', '/events', [event(label(200_000)), event(label(3000))])
  await pause(500)
  for (const socket of sockets) socket.close()
}
