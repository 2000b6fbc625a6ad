import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { describe, expect, test } from 'vitest'
import { MatchBudget } from '../../events/match-budget.ts'
import { isCatchAll } from './automation-events.ts'
import { matchEventName } from './matching.ts'

const trigger = (more: Partial<EventTrigger>) =>
  ({ type: 'event', match: {}, match_related: {}, after: [], expect: [], for_each: [], ...more }) as unknown as EventTrigger

const matchName = (of: EventTrigger, name: string) => matchEventName(of, name, new MatchBudget(1000))
const mayMatchName = (of: EventTrigger, name: string) => Object.values(matchName(of, name)).includes(true)
const isExpected = (of: EventTrigger, name: string) => matchName(of, name).isExpected

describe('events about automations', () => {
  test.each<[string, Partial<EventTrigger>, boolean]>([
    ['no name', {}, false],
    ['a star', { expect: ['*'] }, false],
    ['everything of the server', { expect: ['prefect.*'] }, false],
    ['half of the word', { expect: ['prefect.auto*'] }, false],
    ['a star in front', { expect: ['*.automation.triggered'] }, false],
    ['the whole name', { expect: ['prefect.automation.triggered'] }, true],
    ['another name', { expect: ['prefect.automation.created'] }, false],
    ['the family', { expect: ['*', 'prefect.automation.*'] }, true],
    ['the family as a start', { expect: ['go'], after: ['prefect.automation.*'] }, true],
    ['certain automations', { match: { 'prefect.resource.id': 'prefect.automation.*' } }, true],
    ['certain automations or others', { match: { 'prefect.resource.id': ['prefect.automation.*', '*'] } }, false],
    ['certain automations, under another name', { expect: ['go'], match: { 'prefect.resource.id': 'prefect.automation.*' } }, false],
  ])('match a trigger for %s: %o -> %s', (_what, more, reached) => {
    expect(mayMatchName(trigger(more), 'prefect.automation.triggered')).toBe(reached)
  })

  test('match triggers that name the suspension of automations', () => {
    expect(mayMatchName(trigger({ expect: ['millrace.*'] }), 'millrace.automation.suspended')).toBe(false)
    expect(mayMatchName(trigger({ expect: ['millrace.automation.suspended'] }), 'millrace.automation.suspended')).toBe(true)
  })

  test('are not expected when they only start a period', () => {
    const starts = trigger({ after: ['prefect.automation.triggered'] })
    expect(isExpected(starts, 'prefect.automation.triggered')).toBe(false)
    expect(isExpected(starts, 'go')).toBe(true)
  })
})

describe('a catch-all trigger', () => {
  const [all, some] = [trigger({}), trigger({ expect: ['go'] })]
  const compound = (require: unknown, ...triggers: Trigger[]) => ({ type: 'compound', require, triggers }) as unknown as Trigger
  test.each<[string, Trigger, boolean]>([
    ['nothing asked', all, true],
    ['a star', trigger({ expect: ['go', '*'] }), true],
    ['everything of the server', trigger({ expect: ['prefect.*'] }), true],
    ['one kind of thing', trigger({ expect: ['prefect.flow-run.*'] }), false],
    ['a name', some, false],
    ['resources of all kinds', trigger({ match: { 'prefect.resource.id': 'prefect.*' } }), true],
    ['resources of one kind', trigger({ match: { 'prefect.resource.id': 'prefect.flow-run.*' } }), false],
    ['related resources', trigger({ match_related: { 'prefect.resource.role': 'flow' } }), false],
    ['any of several', compound('any', some, all), true],
    ['all of several', compound('all', some, all), false],
    ['all of several that do', compound('all', all, all), true],
  ])('%s', (_what, one, is) => {
    expect(isCatchAll(one)).toBe(is)
  })
})
