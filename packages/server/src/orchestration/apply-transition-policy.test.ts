import { describe, expect, test } from 'vitest'
import { aState, flowContext } from '../../test/orchestration-fixtures.ts'
import { definePolicy, evaluatePolicy } from './apply-transition.ts'
import { anyType, defineRule, type FlowRunSnapshot, type Rule, type RuleContext } from './rule.ts'
import { cancelled, withName } from './states.ts'
import { abort, accept, acceptWith, acceptWithEffect, amend, reject, replace, wait } from './verdicts.ts'

type FlowRule = Rule<FlowRunSnapshot>

const rule = (name: string, verdict: FlowRule['decide'], more: Partial<FlowRule> = {}): FlowRule =>
  defineRule<FlowRunSnapshot>({ name, from: anyType, to: anyType, decide: verdict, ...more })

const neverCalled = rule('unheard', () => expect.unreachable('no rule speaks after the end'))
const context = () => flowContext('RUNNING', aState('COMPLETED', { name: 'Fine' }))
const effect = { kind: 'enqueue', task_run_id: 't', retry: false } as const

test('accepts the proposed state without rules', () => {
  const given = context()
  expect(evaluatePolicy(definePolicy(), given)).toEqual({
    status: 'ACCEPT',
    details: { type: 'accept_details' },
    state: given.proposed,
    run: given.run,
    laterChanges: null,
    effects: [],
  })
})

test('passes the state and run of the earlier rules to each rule', () => {
  const seen: [string, number][] = []
  const spy = rule('spy', ({ proposed, run }) => {
    seen.push([proposed.name, run.run_count])
    return accept
  })
  const policy = definePolicy(
    spy,
    rule('rename', ({ proposed }) => amend(withName(proposed, 'Better'))),
    spy,
    rule('count', ({ run }) => acceptWith<FlowRunSnapshot>({ run_count: run.run_count + 5 })),
    spy,
  )
  const decision = evaluatePolicy(policy, context())
  expect(seen).toEqual([
    ['Fine', 0],
    ['Better', 0],
    ['Better', 5],
  ])
  expect(decision).toMatchObject({ status: 'ACCEPT', state: { name: 'Better' }, run: { run_count: 5 } })
})

test('does not modify the given context', () => {
  const given = context()
  const before = structuredClone({ run: given.run, proposed: given.proposed })
  evaluatePolicy(definePolicy(rule('amend', ({ proposed }) => ({ ...amend(withName(proposed, 'x')), changes: { run_count: 9 } }))), given)
  expect({ run: given.run, proposed: given.proposed }).toEqual(before)
})

test('evaluates only rules for this pair of state types', () => {
  const policy = definePolicy(
    rule('from elsewhere', () => expect.unreachable(), { from: ['PENDING', null] }),
    rule('to elsewhere', () => expect.unreachable(), { to: ['FAILED'] }),
  )
  expect(evaluatePolicy(policy, context()).status).toBe('ACCEPT')
})

test('selects rules with null for a run without a state', () => {
  const policy = definePolicy(
    rule('newborn', () => abort('no'), { from: [null] }),
    neverCalled,
  )
  expect(evaluatePolicy(policy, flowContext(null, 'RUNNING'))).toMatchObject({ status: 'ABORT' })
})

describe('a rule that ends the evaluation', () => {
  const ended = [
    ['reject', reject('stay', { a: 1 }), 'REJECT', { type: 'reject_details', reason: 'stay', rule: 'ender', facts: { a: 1 } }],
    ['abort', abort('stop'), 'ABORT', { type: 'abort_details', reason: 'stop', rule: 'ender', facts: undefined }],
    ['wait', wait(7, 'soon'), 'WAIT', { type: 'wait_details', delay_seconds: 7, reason: 'soon', rule: 'ender', facts: undefined }],
  ] as const

  test.each(ended)('returns %s with the reason and writes nothing', (_name, verdict, status, details) => {
    const given = context()
    const finalized = { finalize: () => expect.unreachable('nothing is written') }
    const policy = definePolicy(
      rule('notes', ({ proposed }) => ({ ...amend(withName(proposed, 'x')), changes: { run_count: 9 }, effect }), finalized),
      rule('ender', () => verdict),
      rule('cleaner', () => expect.unreachable(), { ...finalized, alwaysFinalize: true }),
      neverCalled,
    )
    expect(evaluatePolicy(policy, given)).toEqual({ status, details, state: null, run: given.run, laterChanges: null, effects: [] })
  })

  test('applies only its own changes and finalizes only rules with alwaysFinalize if it replaces the type', () => {
    const finalized: string[] = []
    const settle = (name: string) => (view: RuleContext, status: string) => {
      finalized.push(`${name} ${view.proposed.type} ${view.run.run_count} ${status}`)
      return undefined
    }
    const policy = definePolicy(
      rule('notes', () => ({ ...acceptWith<FlowRunSnapshot>({ run_count: 9 }), effect }), { finalize: settle('notes') }),
      rule('ender', (view) => ({ ...replace<FlowRunSnapshot>(cancelled(view), 'no', {}, { run_count: 2 }), laterChanges: { run_count: 3 } }), {
        finalize: settle('ender'),
      }),
      rule('cleaner', () => expect.unreachable(), { finalize: settle('cleaner'), alwaysFinalize: true }),
      neverCalled,
    )
    expect(evaluatePolicy(policy, context())).toMatchObject({
      status: 'REJECT',
      state: { type: 'CANCELLED' },
      run: { run_count: 2 },
      laterChanges: { run_count: 3 },
      effects: [],
    })
    expect(finalized).toEqual(['cleaner CANCELLED 2 REJECT'])
  })
})

test('continues after a rejection with the same type', () => {
  const policy = definePolicy(
    rule('first', () => ({ ...acceptWith<FlowRunSnapshot>({ run_count: 1 }), laterChanges: { run_count: 4 } })),
    rule('pedant', ({ proposed }) => replace(proposed, 'too long')),
    rule('last', () => acceptWithEffect(effect)),
  )
  expect(evaluatePolicy(policy, context())).toMatchObject({
    status: 'REJECT',
    details: { type: 'reject_details', reason: 'too long', rule: 'pedant' },
    state: { type: 'COMPLETED', name: 'Fine' },
    run: { run_count: 1 },
    laterChanges: { run_count: 4 },
    effects: [effect],
  })
})

test('finalizes last and may amend the state', () => {
  const policy = definePolicy(
    rule('taker', () => accept, { finalize: ({ proposed }) => withName(proposed, `${proposed.name} taken`) }),
    rule('namer', ({ proposed }) => amend(withName(proposed, 'Named'))),
    rule('cleaner', () => accept, { finalize: ({ proposed }, status) => withName(proposed, `${proposed.name}, ${status}`), alwaysFinalize: true }),
  )
  expect(evaluatePolicy(policy, context()).state?.name).toBe('Named taken, ACCEPT')
})

test('rounds the wait to whole seconds', () => {
  expect(evaluatePolicy(definePolicy(rule('slow', () => wait(1.6, 'soon'))), context()).details).toMatchObject({ delay_seconds: 2 })
})

test('takes ids and random numbers from the context, also if they are methods of a class', () => {
  class Given {
    readonly made: string[] = []
    newId(): string {
      this.made.push('own')
      return `own-${this.made.length}`
    }
    random(): number {
      return this.made.length
    }
  }
  const { newId: _newId, random: _random, ...plain } = context()
  const policy = definePolicy(rule('maker', (view) => replace(cancelled(view), `${view.random()}`)))
  expect(evaluatePolicy(policy, Object.assign(new Given(), plain))).toMatchObject({ state: { id: 'own-1' }, details: { reason: '1' } })
})
