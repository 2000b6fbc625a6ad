import { expect, test } from 'vitest'
import { actorColumn, actorText, addActor, anonymous, automationActor, serviceActor } from './actor.ts'
import type { EventRecord } from './event-record.ts'

const ann = { kind: 'user', id: null, name: 'ann' } as const
const related = { 'prefect.resource.id': 'prefect.flow.f', 'prefect.resource.role': 'flow' }
const event = (more: Partial<EventRecord> = {}): EventRecord => ({
  id: 'e',
  occurred: 0,
  event: 'prefect.flow.created',
  resource: {},
  related: [related],
  payload: '{}',
  follows: null,
  ...more,
})
const shown = { 'prefect.resource.id': 'millrace.user.ann', 'prefect.resource.role': 'actor', 'prefect.resource.name': 'ann' }

test('an actor is written as kind, id and name, and an anonymous one is not stored', () => {
  expect([ann, serviceActor('scheduler'), automationActor({ id: 'a', name: 'x: y' }), anonymous].map(actorText)).toEqual([
    'user::ann',
    'service::scheduler',
    'automation:a:x: y',
    'anonymous',
  ])
  expect([ann, anonymous].map(actorColumn)).toEqual(['user::ann', null])
})

test('a long name is cut, and never within a character', () => {
  const text = actorText({ ...ann, name: `${'a'.repeat(199)}😀` })
  expect(text.length).toBe('user::'.length + 200)
  expect(text.isWellFormed()).toBe(true)
})

test('the actor is added once to the events of its command, and not to events of clients', () => {
  const events = [event(), event(), event({ checkedUntil: 0 })]
  addActor(events, 1, ann)
  addActor(events, 1, { ...ann, name: 'ben' })
  expect(events.map((one) => one.related)).toEqual([[related], [related, shown], [related]])
})

test('what the server does by itself has no actor in its events', () => {
  for (const actor of [anonymous, serviceActor('scheduler'), automationActor({ id: 'a', name: 'x' })]) {
    const events = [event()]
    addActor(events, 0, actor)
    expect(events).toEqual([event()])
  }
})
