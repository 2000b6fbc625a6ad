import { describe, expect, test } from 'vitest'
import { aFlowRun, aLimit, aState, aTaskRun, InMemorySlots, now, sequentialIds, timeAfter } from '../../test/orchestration-fixtures.ts'
import { type Outcome, transitionFlowRun, transitionTaskRun } from './apply-transition.ts'
import { flowRunPolicyFor, forcedTaskRunPolicy, lateFlowRunPolicy, taskRunPolicyFor } from './policies.ts'
import { defaultRuleSettings, type FlowRunSnapshot, type RuleContext, type RunSnapshot, type RunState, type TaskRunSnapshot } from './rule.ts'

type Step = RunState | { force: RunState }

/** Proposes one state after the other, a second apart, and returns the last outcome. */
class Scenario<Run extends RunSnapshot> {
  run: Run
  readonly slots: InMemorySlots
  readonly #transition: (proposed: RunState, force: boolean, context: RuleContext<Run>) => Outcome<Run>
  readonly #newId = sequentialIds()
  #now = now

  constructor(run: Run, slots: InMemorySlots, transition: (proposed: RunState, force: boolean, context: RuleContext<Run>) => Outcome<Run>) {
    this.run = run
    this.slots = slots
    this.#transition = transition
  }

  propose(...steps: Step[]): Outcome<Run> {
    let outcome: Outcome<Run> | undefined
    for (const step of steps) {
      this.#now += 1_000_000
      const proposed = { ...('force' in step ? step.force : step), timestamp: this.#now }
      const { run, slots } = this
      const context = {
        run,
        current: run.state,
        proposed,
        now: this.#now,
        slots,
        settings: defaultRuleSettings,
        newId: this.#newId,
        random: () => 0.5,
      }
      outcome = this.#transition(proposed, 'force' in step, context)
      this.run = outcome.run
    }
    if (!outcome) throw new Error('no steps given')
    return outcome
  }
}

const flowScenario = (run: FlowRunSnapshot = aFlowRun(), slots = new InMemorySlots()) =>
  new Scenario(run, slots, (_proposed, force, context) => transitionFlowRun(flowRunPolicyFor(force), context))
const taskScenario = (run: TaskRunSnapshot = aTaskRun(), slots = new InMemorySlots()) =>
  new Scenario(run, slots, (proposed, force, context) => transitionTaskRun(taskRunPolicyFor(proposed, force), context))

const pending = aState('PENDING')
const running = aState('RUNNING')
const failed = aState('FAILED')
const completed = aState('COMPLETED')
const paused = aState('PAUSED', { state_details: { pause_key: 'k' } })
const suspended = aState('PAUSED', { name: 'Suspended', state_details: { pause_reschedule: true, pause_key: 'k' } })
const scheduled = aState('SCHEDULED')

describe('flow runs', () => {
  test('returns the stamped state and the run in that state', () => {
    const walk = flowScenario()
    const outcome = walk.propose(pending, running)
    expect(outcome).toMatchObject({ status: 'ACCEPT', details: { type: 'accept_details' }, effects: [] })
    expect(outcome.newState).toMatchObject({ type: 'RUNNING', state_details: { flow_run_id: 'flow-run' } })
    expect(outcome.run.state).toBe(outcome.newState)
    expect(outcome.run).toMatchObject({ run_count: 1, start_time: outcome.newState?.timestamp })
  })

  test('returns the same run object if no state is written', () => {
    const walk = flowScenario()
    walk.propose(running)
    const before = walk.run
    expect(walk.propose(pending)).toMatchObject({ status: 'ABORT', newState: null })
    expect(walk.run).toBe(before)
  })

  test('retries once and then fails', () => {
    const walk = flowScenario(aFlowRun({ empirical_policy: { retries: 1, retry_delay: 0 } }))
    expect(walk.propose(pending, running, failed)).toMatchObject({ status: 'REJECT', newState: { name: 'AwaitingRetry' }, run: { run_count: 1 } })
    expect(walk.run.empirical_policy.retry_type).toBe('in_process')
    expect(walk.propose(running, failed)).toMatchObject({ status: 'ACCEPT', newState: { type: 'FAILED' }, run: { run_count: 2 } })
    expect(walk.run.empirical_policy.retry_type).toBeNull()
  })

  test('counts a run that resumes in its process once and clears the resuming mark at the next Running', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, running).run).toMatchObject({ run_count: 2, empirical_policy: { resuming: true, pause_keys: ['k'] } })
    expect(walk.propose(paused)).toMatchObject({ status: 'REJECT', newState: null })
    expect(walk.propose(running).run).toMatchObject({ run_count: 2, empirical_policy: { resuming: false } })
  })

  test('does not count a suspended run that resumes through a worker', () => {
    const walk = flowScenario(aFlowRun({ deployment_id: 'd' }))
    const resumed = walk.propose(running, suspended, aState('SCHEDULED', { name: 'Resuming' }), pending, running)
    expect(resumed.run).toMatchObject({ run_count: 1, empirical_policy: { resuming: false } })
  })

  test('marks a run as resuming when its pause ends or a submission is rejected', () => {
    const ended = flowScenario()
    expect(ended.propose(running, paused, failed).run).toMatchObject({ end_time: expect.any(Number), empirical_policy: { resuming: true } })
    const stuck = flowScenario()
    expect(stuck.propose(running, paused, pending)).toMatchObject({
      status: 'REJECT',
      newState: null,
      run: { state: { type: 'PAUSED' }, empirical_policy: { resuming: true } },
    })
  })

  test('clears the pause keys and counts an attempt when a finished run runs again', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, completed, running).run).toMatchObject({
      run_count: 2,
      empirical_policy: { resuming: false, pause_keys: [] },
    })
  })

  test('keeps the pause keys with force', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, completed, { force: running }).run).toMatchObject({ run_count: 1, empirical_policy: { pause_keys: ['k'] } })
  })

  test('drops the changes of rules that a later rule overrules', () => {
    const walk = flowScenario(aFlowRun({ empirical_policy: { pause_keys: ['k'] } }))
    expect(walk.propose({ force: aState('CANCELLED') }, pending)).toMatchObject({ status: 'ABORT', run: { empirical_policy: { pause_keys: ['k'] } } })
  })

  test('passes the state of a subflow to the task run of its parent', () => {
    const outcome = flowScenario(aFlowRun({ parent_task_run_id: 'holder' })).propose({ force: running })
    expect(outcome.newState?.state_details).toMatchObject({ flow_run_id: 'flow-run', task_run_id: 'holder' })
    expect(outcome.effects).toMatchObject([
      { kind: 'parent', task_run_id: 'holder', state: { type: 'RUNNING', state_details: { child_flow_run_id: 'flow-run' } } },
    ])
    const [effect] = outcome.effects
    if (effect?.kind !== 'parent') throw new Error('expected an effect on the parent')
    expect(effect.state.id).not.toBe(outcome.newState?.id)
  })

  test('passes nothing to the parent if the subflow keeps its state', () => {
    const walk = flowScenario(aFlowRun({ parent_task_run_id: 'holder' }))
    expect(walk.propose(running, pending).effects).toEqual([])
  })
})

describe('slots of a deployment', () => {
  const limit = 'deployment:d'
  const limited = (id: string, retries: number | null = null) =>
    aFlowRun({ id, deployment_id: 'd', deploymentLimit: aLimit(), empirical_policy: { retries } })

  test('delays the second run until the first one ends', () => {
    const slots = new InMemorySlots({ [limit]: 1 })
    const first = flowScenario(limited('first'), slots)
    const second = flowScenario(limited('second'), slots)
    expect(first.propose(scheduled, pending).newState?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
    expect(second.propose(scheduled, pending)).toMatchObject({ status: 'REJECT', newState: { name: 'AwaitingConcurrencySlot' } })
    expect(first.propose(running, completed).newState?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
    expect(second.propose(pending)).toMatchObject({ status: 'ACCEPT', newState: { type: 'PENDING' } })
    expect(slots.holdersOf(limit)).toEqual(['second'])
  })

  test('acquires no slot for a run that is created pending or set to running', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    walk.propose({ force: pending }, running)
    expect(walk.slots.leases).toEqual([])
  })

  test('acquires no slot if the submission of a paused run is rejected', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose({ force: paused }, pending)).toMatchObject({ status: 'REJECT', newState: null })
    expect(walk.slots.leases).toEqual([])
  })

  test('keeps the slot during a retry in the process and releases it at the end', () => {
    const walk = flowScenario(limited('first', 3), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose(scheduled, pending, running, failed).newState).toMatchObject({
      name: 'AwaitingRetry',
      state_details: { deployment_concurrency_lease_id: 'lease-1' },
    })
    expect(walk.propose(pending)).toMatchObject({ status: 'ACCEPT', newState: { state_details: { deployment_concurrency_lease_id: 'lease-1' } } })
    walk.propose(running, failed)
    expect(walk.slots.holdersOf(limit)).toEqual(['first'])
    walk.propose(aState('CANCELLED'))
    expect(walk.slots.leases).toEqual([])
  })

  test('releases the slot when a run that awaits its retry is cancelled', () => {
    const walk = flowScenario(limited('first', 3), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose(scheduled, pending, running, failed, aState('CANCELLING'))).toMatchObject({
      status: 'REJECT',
      newState: { type: 'CANCELLED' },
    })
    expect(walk.slots.leases).toEqual([])
  })

  test('releases the slot with force', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    walk.propose(scheduled, pending, { force: failed })
    expect(walk.slots.leases).toEqual([])
  })

  test('cancels a late run of a full deployment with CANCEL_NEW', () => {
    const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other')
    const run = { ...limited('late'), deploymentLimit: aLimit({ collision_strategy: 'CANCEL_NEW' }), state: scheduled }
    const context = {
      run,
      current: scheduled,
      proposed: aState('SCHEDULED', { name: 'Late' }),
      now,
      slots,
      settings: defaultRuleSettings,
      newId: sequentialIds(),
      random: () => 0,
    }
    expect(transitionFlowRun(lateFlowRunPolicy, context)).toMatchObject({ status: 'REJECT', newState: { type: 'CANCELLED' } })
  })
})

describe('task runs', () => {
  test('names and counts runs and reruns', () => {
    const walk = taskScenario(aTaskRun({ empirical_policy: { retries: 2, retry_delay: 0 } }))
    expect(walk.propose(pending, running).newState?.name).toBe('Running')
    expect(walk.propose(failed, running)).toMatchObject({ newState: { name: 'Retrying' }, run: { run_count: 2 } })
    expect(walk.propose(running)).toMatchObject({ newState: { name: 'Rerunning' }, run: { run_count: 3 } })
    expect(walk.propose(failed)).toMatchObject({ newState: { type: 'FAILED' } })
    expect(walk.propose(running)).toMatchObject({ newState: { name: 'Running' }, run: { run_count: 1 } })
  })

  test('names a rerun in a new flow run attempt Retrying and records the attempt', () => {
    const flowRun = { state: running, run_count: 2 }
    const walk = taskScenario(aTaskRun({ flow_run_id: 'f', flowRun, flow_run_run_count: 1, run_count: 2, state: failed }))
    expect(walk.propose(running)).toMatchObject({ newState: { name: 'Retrying' }, run: { run_count: 1, flow_run_run_count: 2 } })
  })

  test('keeps the run count if a later rule rejects the rerun', () => {
    const flowRun = { state: completed, run_count: 2 }
    const walk = taskScenario(aTaskRun({ flow_run_id: 'f', flowRun, run_count: 2, state: failed }))
    expect(walk.propose(running)).toMatchObject({ status: 'ABORT', run: { run_count: 2 } })
  })

  test('caches the state that is written', () => {
    const outcome = taskScenario().propose(running, aState('COMPLETED', { state_details: { cache_key: 'k', cache_expiration: timeAfter(60) } }))
    expect(outcome.effects).toEqual([{ kind: 'cache', cache_key: 'k', cache_expiration: timeAfter(60), state_id: outcome.newState?.id }])
  })

  test('completes with a cached result, stamped for this task run, without caching it again', () => {
    const cached = aState('COMPLETED', { data: '42', state_details: { cache_key: 'k', task_run_id: 'earlier', flow_run_id: 'earlier' } })
    const outcome = taskScenario(aTaskRun({ cached })).propose(pending, aState('RUNNING', { state_details: { cache_key: 'k' } }))
    expect(outcome).toMatchObject({
      status: 'REJECT',
      newState: { name: 'Cached', data: '42', state_details: { task_run_id: 'task-run', flow_run_id: null } },
      run: { run_count: 0, end_time: outcome.newState?.timestamp },
      effects: [],
    })
  })

  test('holds the tag slots while the task runs', () => {
    const slots = new InMemorySlots({ 'tag:db': 1 })
    const first = taskScenario(aTaskRun({ id: 'first', tags: ['db'] }), slots)
    const second = taskScenario(aTaskRun({ id: 'second', tags: ['db'] }), slots)
    first.propose(pending, running)
    expect(second.propose(pending, running)).toMatchObject({ status: 'WAIT', newState: null, details: { delay_seconds: 30 } })
    first.propose(running, completed)
    expect(second.propose(running)).toMatchObject({ status: 'ACCEPT' })
    second.propose({ force: aState('CRASHED') })
    expect(slots.leases).toEqual([])
  })

  test('enqueues a deferred task run, submits it once and keeps its parameters', () => {
    const deferred = (type: 'SCHEDULED' | 'PENDING' | 'RUNNING', more = {}) => aState(type, { state_details: { deferred: true, ...more } })
    const walk = taskScenario()
    expect(walk.propose({ force: deferred('SCHEDULED', { task_parameters_id: 'p' }) }).effects).toEqual([
      { kind: 'enqueue', task_run_id: 'task-run', retry: false },
    ])
    expect(walk.propose(deferred('PENDING')).newState?.state_details.task_parameters_id).toBe('p')
    expect(walk.propose({ force: deferred('PENDING') })).toMatchObject({ status: 'ABORT', newState: null })
    expect(walk.propose(deferred('RUNNING')).newState?.state_details.task_parameters_id).toBe('p')
  })

  test('lets the task run of a subflow follow by force', () => {
    const child = flowScenario(aFlowRun({ parent_task_run_id: 'task-run' })).propose(running)
    const [effect] = child.effects
    if (effect?.kind !== 'parent') throw new Error('expected an effect on the parent')
    const run = aTaskRun({ flow_run_id: 'parent-run', flowRun: { state: failed, run_count: 1 } })
    const context = {
      run,
      current: null,
      proposed: effect.state,
      now,
      slots: new InMemorySlots(),
      settings: defaultRuleSettings,
      newId: sequentialIds(),
      random: () => 0,
    }
    expect(transitionTaskRun(forcedTaskRunPolicy, context)).toMatchObject({
      status: 'ACCEPT',
      newState: { type: 'RUNNING', state_details: { flow_run_id: 'parent-run', task_run_id: 'task-run', child_flow_run_id: 'flow-run' } },
    })
  })
})
