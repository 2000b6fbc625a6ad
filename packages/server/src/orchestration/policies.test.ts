import { readdirSync } from 'node:fs'
import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { aState, stateWithDetails } from '../../test/orchestration-fixtures.ts'
import { type Policy, selectRules } from './apply-transition.ts'
import {
  backgroundTaskPolicy,
  flowRunPolicy,
  flowRunPolicyFor,
  forcedFlowRunPolicy,
  forcedTaskRunPolicy,
  lateFlowRunPolicy,
  taskRunPolicy,
  taskRunPolicyFor,
  zombieFlowRunPolicy,
} from './policies.ts'
import type { FlowRunSnapshot, TaskRunSnapshot } from './rule.ts'

const everyPolicy = [
  flowRunPolicy,
  forcedFlowRunPolicy,
  lateFlowRunPolicy,
  zombieFlowRunPolicy,
  taskRunPolicy,
  backgroundTaskPolicy,
  forcedTaskRunPolicy,
]
const names = (policy: Policy<FlowRunSnapshot> | Policy<TaskRunSnapshot>) => policy.rules.map((rule) => rule.name)
const selectedRuleNames = (policy: Policy<FlowRunSnapshot>, from: StateType | null, to: StateType) =>
  selectRules(policy, from, to).rules.map((rule) => rule.name)

test('lists every rule file in a policy under its name', () => {
  const files = readdirSync(new URL('rules/', import.meta.url)).filter((file) => !file.endsWith('.test.ts'))
  const listed = new Set(everyPolicy.flatMap(names))
  expect([...listed].map((name) => `${name}.ts`).sort()).toEqual(files.sort())
})

test('has a test beside every rule', () => {
  const files = readdirSync(new URL('rules/', import.meta.url))
  const rules = files.filter((file) => !file.endsWith('.test.ts'))
  expect(files.filter((file) => file.endsWith('.test.ts'))).toEqual(rules.map((file) => file.replace('.ts', '.test.ts')).sort())
})

test.each([
  ['RUNNING', 'FAILED', ['keep-deployment-lease', 'prevent-duplicate-transitions', 'retry-failed-flow-run', 'release-deployment-slot']],
  [
    'SCHEDULED',
    'PENDING',
    ['keep-deployment-lease', 'prevent-duplicate-transitions', 'secure-deployment-slot', 'copy-scheduled-time', 'release-deployment-slot'],
  ],
  [
    'PENDING',
    'RUNNING',
    ['keep-deployment-lease', 'prevent-duplicate-transitions', 'confirm-deployment-slot', 'wait-for-scheduled-time', 'release-deployment-slot'],
  ],
  [
    'COMPLETED',
    'COMPLETED',
    ['keep-deployment-lease', 'prevent-duplicate-transitions', 'protect-terminal-flow-runs', 'prevent-result-loss', 'release-deployment-slot'],
  ],
  [null, 'RUNNING', []],
] as const)('selects the rules from %s to %s in order', (from, to, expected) => {
  expect(selectedRuleNames(flowRunPolicy, from, to)).toEqual(expected)
})

test('precomputes the same selection as filtering the list', () => {
  for (const policy of everyPolicy as Policy<FlowRunSnapshot>[]) {
    for (const from of [null, ...stateTypes]) {
      for (const to of stateTypes) {
        const { rules, finalizing: settling } = selectRules(policy, from, to)
        expect(rules).toEqual(policy.rules.filter((rule) => rule.from.includes(from) && rule.to.includes(to)))
        expect(settling).toEqual(rules.filter((rule) => rule.finalize))
      }
    }
  }
})

test('reduces the rules with force', () => {
  expect(flowRunPolicyFor(true)).toBe(forcedFlowRunPolicy)
  expect(flowRunPolicyFor(false)).toBe(flowRunPolicy)
  expect(names(forcedFlowRunPolicy)).toEqual([
    'keep-deployment-lease',
    'prevent-result-loss',
    'bypass-cancelling-without-infrastructure',
    'release-deployment-slot',
  ])
  expect(names(forcedTaskRunPolicy)).toEqual(['release-task-slots'])
})

test.each([
  ['proposed', aState('RUNNING'), false, taskRunPolicy],
  ['forced', aState('RUNNING'), true, forcedTaskRunPolicy],
  ['deferred', stateWithDetails('PENDING', { deferred: true }), false, backgroundTaskPolicy],
  ['deferred and forced', stateWithDetails('PENDING', { deferred: true }), true, backgroundTaskPolicy],
])('selects the task policy for a state that is %s', (_name, proposed, force, policy) => {
  expect(taskRunPolicyFor(proposed, force)).toBe(policy)
})
