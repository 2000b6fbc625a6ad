import { isTerminal, type StateType, stateTypes } from '@millrace/contracts/state.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aFlowRun, aLimit, aTaskRun, InMemorySlots, now, sequentialIds, timeAfter } from '../../test/orchestration-fixtures.ts'
import { MICROS_PER_SECOND, type Micros } from '../lib/time.ts'
import { type Outcome, type Policy, transitionFlowRun, transitionTaskRun } from './apply-transition.ts'
import { flowRunPolicyFor, lateFlowRunPolicy, taskRunPolicyFor } from './policies.ts'
import { defaultRuleSettings, type FlowRunSnapshot, type RuleContext, type RunSnapshot, type RunState, type TaskRunSnapshot } from './rule.ts'
import { createState, hasPersistedResult, type ReceivedState, referencesResult } from './states.ts'

/** Random sequences of proposals for several runs through all nine state types, with invariants that hold after each step. */

/** Usually undefined: if every proposal were special, runs would rarely change state. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const seconds = fc.constantFrom(-100, 5, 3600)

const details = fc.record({
  scheduled_time: rarely(seconds.map(timeAfter)),
  pause_timeout: rarely(seconds.map(timeAfter)),
  pause_key: rarely(fc.constantFrom('a', 'b')),
  pause_reschedule: rarely(fc.constant(true)),
  transition_id: rarely(fc.constantFrom('t1', 't2')),
  cache_key: rarely(fc.constantFrom('k1', 'k2')),
  refresh_cache: rarely(fc.constant(true)),
  retriable: rarely(fc.boolean()),
  deferred: rarely(fc.constant(true)),
  deployment_concurrency_lease_id: rarely(fc.constant('forged')),
})

/** Weights that let runs reach many states; a cancelling run can only end. */
const weights: Record<StateType, number> = {
  SCHEDULED: 5,
  PENDING: 7,
  RUNNING: 8,
  COMPLETED: 3,
  FAILED: 6,
  CANCELLED: 2,
  CRASHED: 1,
  PAUSED: 3,
  CANCELLING: 1,
}

const proposal: fc.Arbitrary<ReceivedState> = fc.record({
  type: fc.oneof(...stateTypes.map((type) => ({ weight: weights[type], arbitrary: fc.constant(type) }))),
  name: rarely(fc.constantFrom('Late', 'AwaitingRetry', 'Resuming', 'Submitting', 'Suspended')),
  data: rarely(fc.constantFrom('{"type":"reference"}', '{"type":"unpersisted"}', '{}', '"text"', '[1]')),
  state_details: details,
})

const step = fc.record({
  run: fc.nat(5),
  proposal,
  mode: fc.oneof(
    { weight: 12, arbitrary: fc.constant('propose' as const) },
    { weight: 1, arbitrary: fc.constantFrom('force' as const, 'late' as const) },
  ),
  /** Expires a lease now and then. */
  expire: rarely(fc.constant(true)),
  pass: fc.constantFrom(0, 1, 10, 4000),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const retries = fc.constantFrom(null, 0, 1, 3)
const modelInput = fc.record({
  retries: fc.tuple(retries, retries, retries),
  slots: fc.constantFrom(0, 1, 1, 1, 2),
  strategy: fc.constantFrom('ENQUEUE' as const, 'CANCEL_NEW' as const),
  tagSlots: fc.constantFrom(0, 1, 1, 1, 2),
  isOff: rarely(fc.constant(true)),
})
type ModelInput = typeof modelInput extends fc.Arbitrary<infer T> ? T : never

const limit = 'deployment:d'
const isFlowRun = (run: FlowRunSnapshot | TaskRunSnapshot): run is FlowRunSnapshot => 'parent_task_run_id' in run

/** Three flow runs, two of them of one limited deployment, and three tasks of the first, two under one limited tag. */
class Model {
  readonly runs: (FlowRunSnapshot | TaskRunSnapshot)[]
  readonly slots: InMemorySlots
  readonly #cache = new Map<string, RunState>()
  readonly #newId = sequentialIds()
  now: Micros = now

  constructor({ retries: [one, two, three], slots, strategy, tagSlots, isOff }: ModelInput) {
    this.slots = new InMemorySlots({ [limit]: slots, 'tag:db': tagSlots }, isOff ? [limit] : [])
    const deployed = { deployment_id: 'd', deploymentLimit: aLimit({ slots, collision_strategy: strategy }) }
    this.runs = [
      aFlowRun({ id: 'f0', ...deployed, empirical_policy: { retries: one } }),
      aFlowRun({ id: 'f1', ...deployed, infrastructure_pid: 'pid', empirical_policy: { retries: two, retry_delay: 5 } }),
      aFlowRun({ id: 'f2', parent_task_run_id: 't0', empirical_policy: { retries: three } }),
      aTaskRun({ id: 't0', flow_run_id: 'f0', tags: ['db'], empirical_policy: { retries: one, retry_delay: [0, 5] } }),
      aTaskRun({ id: 't1', flow_run_id: 'f0', tags: ['db', 'other'], empirical_policy: { retries: two, retry_jitter_factor: 0.5, retry_delay: 5 } }),
      aTaskRun({ id: 't2', empirical_policy: { retries: three } }),
    ]
  }

  take({ run: index, proposal: received, mode, expire, pass, random }: Step): void {
    this.now += pass * MICROS_PER_SECOND
    if (expire) this.slots.leases.shift()
    const run = this.runs[index]
    if (!run) return
    // A run gets its first state by force, as when it is created.
    const force = mode === 'force' || run.state === null
    const isLate = mode === 'late' && isFlowRun(run) && !force
    const proposed = deepFreeze(createState({ now: this.now, newId: this.#newId }, isLate ? { type: 'SCHEDULED', name: 'Late' } : received))
    const shared = {
      current: run.state,
      proposed,
      now: this.now,
      slots: this.slots,
      settings: defaultRuleSettings,
      newId: this.#newId,
      random: () => random,
    }
    if (isFlowRun(run)) {
      const policy = isLate ? lateFlowRunPolicy : flowRunPolicyFor(force)
      this.#evaluate(index, policy, { ...shared, run: deepFreeze(run) }, transitionFlowRun, force)
    } else {
      const first = this.runs[0]
      const flowRun = run.flow_run_id && first ? { state: first.state, run_count: first.run_count } : null
      const cached = this.#cache.get(proposed.state_details.cache_key ?? '') ?? null
      const policy = taskRunPolicyFor(proposed, force)
      this.#evaluate(index, policy, { ...shared, run: deepFreeze({ ...run, flowRun, cached }) }, transitionTaskRun, force)
    }
  }

  #evaluate<Run extends FlowRunSnapshot | TaskRunSnapshot>(
    index: number,
    policy: Policy<Run>,
    context: RuleContext<Run>,
    transition: (policy: Policy<Run>, context: RuleContext<Run>) => Outcome<Run>,
    force: boolean,
  ): void {
    const leases = JSON.stringify(this.slots.leases)
    const outcome = transition(policy, context)
    checkResult(policy, context, outcome)
    if (outcome.newState === null) assertThat(JSON.stringify(this.slots.leases) === leases, 'slots stay if no state is written')
    checkTimes(context.run, outcome.run)
    checkCounts(context.run, outcome)
    if (!force) checkProposed(context, outcome)
    this.runs[index] = outcome.run
    this.#checkSlots(context, outcome, force)
    for (const effect of outcome.effects) if (effect.kind === 'cache' && outcome.newState) this.#cache.set(effect.cache_key, outcome.newState)
  }

  #checkSlots({ current }: RuleContext, { run, newState }: Outcome<FlowRunSnapshot | TaskRunSnapshot>, force: boolean): void {
    for (const [name, { slots }] of this.slots.limits) {
      const holders = this.slots.holdersOf(name)
      assertThat(holders.length <= slots, 'a limit is not exceeded')
      assertThat(new Set(holders).size === holders.length, 'no run has two slots of one limit')
    }
    for (const { id, state } of this.runs) {
      const isIdle = state !== null && (isTerminal(state.type) || state.type === 'PAUSED')
      assertThat(!isIdle || this.slots.leases.every((lease) => lease.holder !== id), 'a run that has ended or is paused has no slot')
    }
    const entered = force || !newState || newState.type === current?.type ? undefined : newState.type
    if (isFlowRun(run))
      assertThat(!run.deploymentLimit || entered !== 'PENDING' || this.slots.holdersOf(limit).includes(run.id), 'a pending run has a slot')
    else if (run.tags.length > 0 && entered === 'RUNNING' && !newState?.state_details.deferred) {
      assertThat(this.slots.holdersOf('tag:db').includes(run.id), 'a running task run has its slots')
    }
  }
}

/** Not `expect`, which takes most of the time of a sequence. */
function assertThat(condition: boolean, statement: string): void {
  if (!condition) throw new Error(`Violated: ${statement}`)
}

/** The status, the details and the run agree. */
function checkResult<Run extends RunSnapshot>(
  policy: Policy<Run>,
  context: RuleContext<Run>,
  { status, details, newState, run }: Outcome<Run>,
): void {
  assertThat(run.state === (newState ?? context.current), 'the run is in the new state or in its previous state')
  if (status === 'ACCEPT') {
    assertThat(details.type === 'accept_details', 'the details match the status')
    assertThat(newState?.type === context.proposed.type, 'an accepted state is written')
    return
  }
  assertThat(details.type === `${status.toLowerCase()}_details`, 'the details match the status')
  assertThat('reason' in details && /^[A-Z].+\.$/.test(details.reason ?? ''), 'the reason is a sentence')
  assertThat('rule' in details && policy.rules.some((rule) => rule.name === details.rule), 'the rule belongs to the policy')
  if (status !== 'REJECT') assertThat(newState === null && run === context.run, 'wait and abort change nothing')
  if (status === 'WAIT')
    assertThat('delay_seconds' in details && Number.isInteger(details.delay_seconds) && details.delay_seconds > 0, 'waits are whole seconds')
}

function checkTimes(before: RunSnapshot, after: RunSnapshot): void {
  const type = after.state?.type
  assertThat((after.end_time !== null) === isTerminal(type), 'exactly terminal runs have an end time')
  assertThat((after.next_scheduled_start_time !== null) === (type === 'SCHEDULED'), 'exactly scheduled runs have a next start')
  assertThat((after.expected_start_time !== null) === (type !== undefined), 'every run with a state has an expected start')
  assertThat(after.start_time !== null || !(type === 'RUNNING' || isTerminal(type)), 'running and terminal runs have a start time')
  assertThat(before.start_time === null || after.start_time === before.start_time, 'the start time stays')
  assertThat(before.expected_start_time === null || after.expected_start_time === before.expected_start_time, 'the expected start stays')
  assertThat(before.end_time === null || after.end_time === null || after.end_time === before.end_time, 'the first end time stays')
  assertThat(!before.state || before.state === after.state || before.state.timestamp < (after.state?.timestamp ?? 0), 'timestamps increase')
  assertThat(after.total_run_time >= before.total_run_time, 'run time does not shrink')
  assertThat(before.state?.type === 'RUNNING' || after.total_run_time === before.total_run_time, 'run time grows only while running')
}

function checkCounts(before: FlowRunSnapshot | TaskRunSnapshot, { run, newState }: Outcome<FlowRunSnapshot | TaskRunSnapshot>): void {
  const grown = newState?.type === 'RUNNING' ? 1 : 0
  const difference = run.run_count - before.run_count
  if (isFlowRun(run)) {
    assertThat(difference === 0 || difference === grown, 'the run count of a flow run grows by one with Running and never falls')
    return
  }
  const hasLeftTerminal = before.state !== null && isTerminal(before.state.type) && newState !== null && !isTerminal(newState.type)
  assertThat(
    difference === grown || (hasLeftTerminal && run.run_count === grown),
    'the run count of a task run grows with Running and restarts after a terminal state',
  )
}

/** Invariants of proposals without force. */
function checkProposed(context: RuleContext<FlowRunSnapshot | TaskRunSnapshot>, { newState }: Outcome<FlowRunSnapshot | TaskRunSnapshot>): void {
  const { current, proposed, run } = context
  if (!current || !newState) return
  assertThat(!hasPersistedResult(current) || isTerminal(newState.type) || !isFlowRun(run), 'a flow run with a persisted result does not run again')
  if (!isFlowRun(run)) {
    const isStopped = run.flowRun !== null && run.flowRun.state?.type !== 'RUNNING'
    assertThat(
      !isStopped || newState.type !== 'RUNNING' || proposed.state_details.deferred === true,
      'a task run runs only while its flow run is running',
    )
    return
  }
  const { transition_id } = proposed.state_details
  assertThat(!transition_id || current.state_details.transition_id !== transition_id, 'no transition is repeated')
  assertThat(!hasPersistedResult(current) || newState.type !== 'COMPLETED' || referencesResult(newState), 'a result is replaced by a result')
  assertThat(current.type !== 'CANCELLING' || newState.type === 'CANCELLED', 'cancelling ends in cancelled')
  assertThat(current.type !== 'PENDING' || newState.type !== 'PENDING' || newState.name !== 'Pending', 'no run is submitted twice')
  assertThat(current.type !== 'RUNNING' || newState.type !== 'PENDING', 'no run is submitted while it runs')
  assertThat(newState.type !== 'PAUSED' || current.type === 'RUNNING', 'only running runs pause')
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

test('keeps the invariants for any sequence of proposals', () => {
  fc.assert(
    fc.property(modelInput, fc.array(step, { minLength: 1, maxLength: 100, size: 'max' }), (given, steps) => {
      const model = new Model(given)
      for (const taken of steps) model.take(taken)
    }),
    { numRuns: 800 },
  )
})

test('writes a proposal with the same transition id once', () => {
  fc.assert(
    fc.property(proposal, fc.constantFrom(...stateTypes), (received, from) => {
      const once = { ...received, state_details: { ...received.state_details, transition_id: 'once', scheduled_time: timeAfter(-1) } }
      const newId = sequentialIds()
      const shared = { now, slots: new InMemorySlots(), settings: defaultRuleSettings, newId, random: () => 0.5 }
      const propose = (run: FlowRunSnapshot) =>
        transitionFlowRun(flowRunPolicyFor(false), { ...shared, run, current: run.state, proposed: createState({ now, newId }, once) })
      const first = propose(aFlowRun({ state: createState({ now, newId }, { type: from }) }))
      fc.pre(first.status === 'ACCEPT')
      const second = propose(first.run)
      expect(second).toMatchObject({ status: 'REJECT', newState: null, details: { rule: 'prevent-duplicate-transitions' } })
      expect(second.run).toBe(first.run)
    }),
  )
})
