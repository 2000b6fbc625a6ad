import { describe, expect, test } from 'vitest'
import { anyType, defineRule } from './define-rule.ts'
import { aState, flowContext } from './fixtures.ts'
import { definePolicy } from './policy.ts'
import type { FlowRunFacts, Rule, RuleContext } from './rule.ts'
import { cancelled, renamed } from './states.ts'
import { decide } from './transition.ts'
import { abort, accept, amend, causing, noting, reject, replace, wait } from './verdict.ts'

type FlowRule = Rule<FlowRunFacts>

const rule = (name: string, verdict: FlowRule['decide'], more: Partial<FlowRule> = {}): FlowRule =>
  defineRule<FlowRunFacts>({ name, from: anyType, to: anyType, decide: verdict, ...more })

const unheard = rule('unheard', () => expect.unreachable('no rule speaks after the end'))
const context = () => flowContext('RUNNING', aState('COMPLETED', { name: 'Fine' }))
const effect = { kind: 'enqueue', task_run_id: 't', retry: false } as const

test('no rules: accepted as proposed', () => {
  const given = context()
  expect(decide(definePolicy(), given)).toEqual({
    status: 'ACCEPT',
    details: { type: 'accept_details' },
    state: given.proposed,
    run: given.run,
    afterwards: null,
    effects: [],
  })
})

test('each rule sees what those before it made of the state and the run', () => {
  const seen: [string, number][] = []
  const spy = rule('spy', ({ proposed, run }) => {
    seen.push([proposed.name, run.run_count])
    return accept
  })
  const policy = definePolicy(
    spy,
    rule('rename', ({ proposed }) => amend(renamed(proposed, 'Better'))),
    spy,
    rule('count', ({ run }) => noting<FlowRunFacts>({ run_count: run.run_count + 5 })),
    spy,
  )
  const decision = decide(policy, context())
  expect(seen).toEqual([
    ['Fine', 0],
    ['Better', 0],
    ['Better', 5],
  ])
  expect(decision).toMatchObject({ status: 'ACCEPT', state: { name: 'Better' }, run: { run_count: 5 } })
})

test('the context given stays as it was', () => {
  const given = context()
  const before = structuredClone({ run: given.run, proposed: given.proposed })
  decide(definePolicy(rule('amend', ({ proposed }) => ({ ...amend(renamed(proposed, 'x')), changes: { run_count: 9 } }))), given)
  expect({ run: given.run, proposed: given.proposed }).toEqual(before)
})

test('only rules for this pair of states speak', () => {
  const policy = definePolicy(
    rule('from elsewhere', () => expect.unreachable(), { from: ['PENDING', null] }),
    rule('to elsewhere', () => expect.unreachable(), { to: ['FAILED'] }),
  )
  expect(decide(policy, context()).status).toBe('ACCEPT')
})

test('null is the state of a run that has none', () => {
  const policy = definePolicy(
    rule('newborn', () => abort('no'), { from: [null] }),
    unheard,
  )
  expect(decide(policy, flowContext(null, 'RUNNING'))).toMatchObject({ status: 'ABORT' })
})

describe('a rule that ends it', () => {
  const ended = [
    ['reject', reject('stay', { a: 1 }), 'REJECT', { type: 'reject_details', reason: 'stay', rule: 'ender', facts: { a: 1 } }],
    ['abort', abort('stop'), 'ABORT', { type: 'abort_details', reason: 'stop', rule: 'ender', facts: undefined }],
    ['wait', wait(7, 'soon'), 'WAIT', { type: 'wait_details', delay_seconds: 7, reason: 'soon', rule: 'ender', facts: undefined }],
  ] as const

  test.each(ended)('%s: nothing is written, and the rule says why', (_name, verdict, status, details) => {
    const given = context()
    const settled = { settle: () => expect.unreachable('nothing is written') }
    const policy = definePolicy(
      rule('notes', ({ proposed }) => ({ ...amend(renamed(proposed, 'x')), changes: { run_count: 9 }, effect }), settled),
      rule('ender', () => verdict),
      rule('cleaner', () => expect.unreachable(), { ...settled, always: true }),
      unheard,
    )
    expect(decide(policy, given)).toEqual({ status, details, state: null, run: given.run, afterwards: null, effects: [] })
  })

  test('another type instead: only its own notes count, and only the always rules settle', () => {
    const settled: string[] = []
    const settle = (name: string) => (view: RuleContext, status: string) => {
      settled.push(`${name} ${view.proposed.type} ${view.run.run_count} ${status}`)
      return undefined
    }
    const policy = definePolicy(
      rule('notes', () => ({ ...noting<FlowRunFacts>({ run_count: 9 }), effect }), { settle: settle('notes') }),
      rule('ender', (view) => ({ ...replace<FlowRunFacts>(cancelled(view), 'no', {}, { run_count: 2 }), afterwards: { run_count: 3 } }), {
        settle: settle('ender'),
      }),
      rule('cleaner', () => expect.unreachable(), { settle: settle('cleaner'), always: true }),
      unheard,
    )
    expect(decide(policy, context())).toMatchObject({
      status: 'REJECT',
      state: { type: 'CANCELLED' },
      run: { run_count: 2 },
      afterwards: { run_count: 3 },
      effects: [],
    })
    expect(settled).toEqual(['cleaner CANCELLED 2 REJECT'])
  })
})

test('a rejection into the same type goes on', () => {
  const policy = definePolicy(
    rule('first', () => ({ ...noting<FlowRunFacts>({ run_count: 1 }), afterwards: { run_count: 4 } })),
    rule('pedant', ({ proposed }) => replace(proposed, 'too long')),
    rule('last', () => causing(effect)),
  )
  expect(decide(policy, context())).toMatchObject({
    status: 'REJECT',
    details: { type: 'reject_details', reason: 'too long', rule: 'pedant' },
    state: { type: 'COMPLETED', name: 'Fine' },
    run: { run_count: 1 },
    afterwards: { run_count: 4 },
    effects: [effect],
  })
})

test('settling comes last and may amend the state', () => {
  const policy = definePolicy(
    rule('taker', () => accept, { settle: ({ proposed }) => renamed(proposed, `${proposed.name} taken`) }),
    rule('namer', ({ proposed }) => amend(renamed(proposed, 'Named'))),
    rule('cleaner', () => accept, { settle: ({ proposed }, status) => renamed(proposed, `${proposed.name}, ${status}`), always: true }),
  )
  expect(decide(policy, context()).state?.name).toBe('Named taken, ACCEPT')
})

test('seconds to wait are whole', () => {
  expect(decide(definePolicy(rule('slow', () => wait(1.6, 'soon'))), context()).details).toMatchObject({ delay_seconds: 2 })
})

test('ids and chance come from the context, also when they are methods of a class', () => {
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
  expect(decide(policy, Object.assign(new Given(), plain))).toMatchObject({ state: { id: 'own-1' }, details: { reason: '1' } })
})
