import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { describe, expect, test } from 'vitest'
import { MatchBudget } from '../../events/match-budget.ts'
import { bucketLabelValues, groupingLabels, matchEventName, matchesResources as matchesWithin, type TriggerEvent } from './matching.ts'

const trigger = (more: Partial<EventTrigger>) =>
  ({ match: {}, match_related: {}, after: [], expect: [], for_each: [], ...more }) as unknown as EventTrigger
const event = (more: Partial<TriggerEvent> = {}) =>
  ({
    resource: { 'prefect.resource.id': 'prefect.flow-run.1', kind: 'good one', empty: '' },
    related: [
      { 'prefect.resource.id': 'prefect.flow.7', 'prefect.resource.role': 'flow', name: 'ann' },
      { 'prefect.resource.id': 'prefect.tag.x', 'prefect.resource.role': 'tag' },
      { 'prefect.resource.id': 'prefect.tag.y', 'prefect.resource.role': 'tag', name: 'second' },
    ],
    ...more,
  }) as TriggerEvent

const budget = () => new MatchBudget(1000)
const matchesResources = (of: EventTrigger, sent: TriggerEvent): boolean => matchesWithin(of, sent, budget())

describe('event names', () => {
  test.each([
    [[], 'anything', true],
    [['a.b'], 'a.b', true],
    [['a.b'], 'a.bc', false],
    [['a.*'], 'a.b.c', true],
    [['*'], 'a', true],
    [['x', 'a.*'], 'a.b', true],
    [['A.b'], 'a.b', false],
  ])('%j expects %s: %s', (patterns, name, holds) => {
    expect(matchEventName(trigger({ expect: patterns }), name, budget())).toEqual({ isExpected: holds, startsPeriod: false })
  })

  test('matches a start without counting it', () => {
    const waiting = trigger({ expect: ['done'], after: ['start.*'] })
    expect(matchEventName(waiting, 'start.x', budget())).toEqual({ isExpected: false, startsPeriod: true })
    expect(matchEventName(waiting, 'done', budget())).toEqual({ isExpected: true, startsPeriod: false })
  })
})

describe('resources', () => {
  test.each([
    ['nothing asked', {}, true],
    ['the id', { 'prefect.resource.id': 'prefect.flow-run.1' }, true],
    ['a glob', { 'prefect.resource.id': 'prefect.flow-run.*' }, true],
    ['another id', { 'prefect.resource.id': 'prefect.flow-run.2' }, false],
    ['one of several', { kind: ['bad*', 'good*'] }, true],
    ['none of several', { kind: ['bad*', 'fair'] }, false],
    ['all labels', { kind: 'good*', 'prefect.resource.id': '*' }, true],
    ['one label wrong', { kind: 'good*', 'prefect.resource.id': 'x' }, false],
    ['not this', { kind: '!bad*' }, true],
    ['not this, but it is', { kind: '!good*' }, false],
    ['not this or that', { kind: ['!good*', 'good one'] }, true],
    ['a label that is not there', { colour: '*' }, false],
    ['not there is not another value', { colour: '!red' }, false],
    ['an empty value', { empty: '' }, true],
    ['an empty list fits nothing', { kind: [] }, false],
  ])('%s', (_what, match, holds) => {
    expect(matchesResources(trigger({ match }), event())).toBe(holds)
  })

  test.each([
    ['one related resource fits in all labels', { 'prefect.resource.role': 'flow', name: 'ann' }, true],
    ['not two together', { 'prefect.resource.role': 'tag', name: 'ann' }, false],
    ['any of the tags', { 'prefect.resource.id': 'prefect.tag.y' }, true],
    ['each of several specifications', [{ 'prefect.resource.id': 'prefect.tag.x' }, { 'prefect.resource.id': 'prefect.tag.y' }], true],
    ['one of several is missing', [{ 'prefect.resource.id': 'prefect.tag.x' }, { 'prefect.resource.id': 'prefect.tag.z' }], false],
    ['an empty one fits', [{}], true],
  ])('%s', (_what, match_related, holds) => {
    expect(matchesResources(trigger({ match_related }), event())).toBe(holds)
  })

  test('matches only an empty specification without related resources', () => {
    expect(matchesResources(trigger({ match_related: {} }), event({ related: [] }))).toBe(true)
    expect(matchesResources(trigger({ match_related: { a: '*' } }), event({ related: [] }))).toBe(false)
  })
})

describe('for each', () => {
  test.each([
    ['a label', ['kind'], ['good one']],
    ['labels in their order', ['prefect.resource.id', 'kind'], ['good one', 'prefect.flow-run.1']],
    ['a label that is not there', ['colour'], ['']],
    ['a label of the first related resource in a role', ['related:flow:name'], ['ann']],
    ['the first in the role, though it lacks the label', ['related:tag:name'], ['']],
    ['a role that nobody has', ['related:friend:prefect.resource.id'], ['']],
    ['the same label twice', ['kind', 'kind'], ['good one']],
  ])('%s', (_what, for_each, key) => {
    expect(bucketLabelValues(trigger({ for_each }), event())).toEqual(key)
  })

  test('sorts the labels like their values', () => {
    expect(groupingLabels(trigger({ for_each: ['b', 'a', 'b'] }))).toEqual(['a', 'b'])
  })
})
