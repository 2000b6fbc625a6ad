import { describe, expect, test } from 'vitest'
import { aFlowRun, aLimit, aState, aTaskRun, InMemorySlots, now, sequentialIds, timeAfter } from '../../test/orchestration-fixtures.ts'
import { type Outcome, transitionFlowRun, transitionTaskRun } from './apply-transition.ts'
import { flowRunPolicyFor, forcedTaskRunPolicy, lateFlowRunPolicy, taskRunPolicyFor } from './policies.ts'
import { defaultRuleSettings, type FlowRunSnapshot, type RuleContext, type RunSnapshot, type RunState, type TaskRunSnapshot } from './rule.ts'

type Step = RunState | { force: RunState }

/** Proposes one state after the other, a second apart, and tells what became of each. */
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
    if (!outcome) throw new Error('a walk has steps')
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
  test('an outcome is the state that was written, stamped, and the run in it', () => {
    const walk = flowScenario()
    const outcome = walk.propose(pending, running)
    expect(outcome).toMatchObject({ status: 'ACCEPT', details: { type: 'accept_details' }, effects: [] })
    expect(outcome.newState).toMatchObject({ type: 'RUNNING', state_details: { flow_run_id: 'flow-run' } })
    expect(outcome.run.state).toBe(outcome.newState)
    expect(outcome.run).toMatchObject({ run_count: 1, start_time: outcome.newState?.timestamp })
  })

  test('when nothing is written the run is the same object', () => {
    const walk = flowScenario()
    walk.propose(running)
    const before = walk.run
    expect(walk.propose(pending)).toMatchObject({ status: 'ABORT', written: null })
    expect(walk.run).toBe(before)
  })

  test('two attempts, then the end', () => {
    const walk = flowScenario(aFlowRun({ empirical_policy: { retries: 1, retry_delay: 0 } }))
    expect(walk.propose(pending, running, failed)).toMatchObject({ status: 'REJECT', written: { name: 'AwaitingRetry' }, run: { run_count: 1 } })
    expect(walk.run.empirical_policy.retry_type).toBe('in_process')
    expect(walk.propose(running, failed)).toMatchObject({ status: 'ACCEPT', written: { type: 'FAILED' }, run: { run_count: 2 } })
    expect(walk.run.empirical_policy.retry_type).toBeNull()
  })

  test('resuming inside the process counts once, and the note that it did is gone with the next Running', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, running).run).toMatchObject({ run_count: 2, empirical_policy: { resuming: true, pause_keys: ['k'] } })
    expect(walk.propose(paused)).toMatchObject({ status: 'REJECT', written: null })
    expect(walk.propose(running).run).toMatchObject({ run_count: 2, empirical_policy: { resuming: false } })
  })

  test('resuming by way of the workers does not count', () => {
    const walk = flowScenario(aFlowRun({ deployment_id: 'd' }))
    const resumed = walk.propose(running, suspended, aState('SCHEDULED', { name: 'Resuming' }), pending, running)
    expect(resumed.run).toMatchObject({ run_count: 1, empirical_policy: { resuming: false } })
  })

  test('a pause that ends is marked as resuming, and so is a rejected submission', () => {
    const ended = flowScenario()
    expect(ended.propose(running, paused, failed).run).toMatchObject({ end_time: expect.any(Number), empirical_policy: { resuming: true } })
    const stuck = flowScenario()
    expect(stuck.propose(running, paused, pending)).toMatchObject({
      status: 'REJECT',
      written: null,
      run: { state: { type: 'PAUSED' }, empirical_policy: { resuming: true } },
    })
  })

  test('a rerun forgets its pauses and counts', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, completed, running).run).toMatchObject({
      run_count: 2,
      empirical_policy: { resuming: false, pause_keys: [] },
    })
  })

  test('unless it is by force', () => {
    const walk = flowScenario()
    expect(walk.propose(running, paused, completed, { force: running }).run).toMatchObject({ run_count: 1, empirical_policy: { pause_keys: ['k'] } })
  })

  test('notes of rules that were overruled are forgotten', () => {
    const walk = flowScenario(aFlowRun({ empirical_policy: { pause_keys: ['k'] } }))
    expect(walk.propose({ force: aState('CANCELLED') }, pending)).toMatchObject({ status: 'ABORT', run: { empirical_policy: { pause_keys: ['k'] } } })
  })

  test('a subflow tells the task that stands for it', () => {
    const outcome = flowScenario(aFlowRun({ parent_task_run_id: 'holder' })).propose({ force: running })
    expect(outcome.newState?.state_details).toMatchObject({ flow_run_id: 'flow-run', task_run_id: 'holder' })
    expect(outcome.effects).toMatchObject([
      { kind: 'parent', task_run_id: 'holder', state: { type: 'RUNNING', state_details: { child_flow_run_id: 'flow-run' } } },
    ])
    const [effect] = outcome.effects
    if (effect?.kind !== 'parent') throw new Error('the parent is told')
    expect(effect.state.id).not.toBe(outcome.newState?.id)
  })

  test('a subflow that stays where it is tells nothing', () => {
    const walk = flowScenario(aFlowRun({ parent_task_run_id: 'holder' }))
    expect(walk.propose(running, pending).effects).toEqual([])
  })
})

describe('slots of a deployment', () => {
  const limit = 'deployment:d'
  const limited = (id: string, retries: number | null = null) =>
    aFlowRun({ id, deployment_id: 'd', deploymentLimit: aLimit(), empirical_policy: { retries } })

  test('one run at a time: the second is put off until the first has ended', () => {
    const slots = new InMemorySlots({ [limit]: 1 })
    const first = flowScenario(limited('first'), slots)
    const second = flowScenario(limited('second'), slots)
    expect(first.propose(scheduled, pending).newState?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
    expect(second.propose(scheduled, pending)).toMatchObject({ status: 'REJECT', written: { name: 'AwaitingConcurrencySlot' } })
    expect(first.propose(running, completed).newState?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
    expect(second.propose(pending)).toMatchObject({ status: 'ACCEPT', written: { type: 'PENDING' } })
    expect(slots.holdersOf(limit)).toEqual(['second'])
  })

  test('being born pending takes none, nor does running', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    walk.propose({ force: pending }, running)
    expect(walk.slots.leases).toEqual([])
  })

  test('a rejected submission from a pause takes none', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose({ force: paused }, pending)).toMatchObject({ status: 'REJECT', written: null })
    expect(walk.slots.leases).toEqual([])
  })

  test('a retry in the process keeps it, also when a worker submits the run, and its end gives it back', () => {
    const walk = flowScenario(limited('first', 3), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose(scheduled, pending, running, failed).newState).toMatchObject({
      name: 'AwaitingRetry',
      state_details: { deployment_concurrency_lease_id: 'lease-1' },
    })
    expect(walk.propose(pending)).toMatchObject({ status: 'ACCEPT', written: { state_details: { deployment_concurrency_lease_id: 'lease-1' } } })
    walk.propose(running, failed)
    expect(walk.slots.holdersOf(limit)).toEqual(['first'])
    walk.propose(aState('CANCELLED'))
    expect(walk.slots.leases).toEqual([])
  })

  test('cancelling a run that awaits its retry gives it back at once', () => {
    const walk = flowScenario(limited('first', 3), new InMemorySlots({ [limit]: 1 }))
    expect(walk.propose(scheduled, pending, running, failed, aState('CANCELLING'))).toMatchObject({
      status: 'REJECT',
      written: { type: 'CANCELLED' },
    })
    expect(walk.slots.leases).toEqual([])
  })

  test('force gives it back, too', () => {
    const walk = flowScenario(limited('first'), new InMemorySlots({ [limit]: 1 }))
    walk.propose(scheduled, pending, { force: failed })
    expect(walk.slots.leases).toEqual([])
  })

  test('a late run of a deployment that cancels new ones', () => {
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
    expect(transitionFlowRun(lateFlowRunPolicy, context)).toMatchObject({ status: 'REJECT', written: { type: 'CANCELLED' } })
  })
})

describe('task runs', () => {
  test('names and counts of runs and reruns', () => {
    const walk = taskScenario(aTaskRun({ empirical_policy: { retries: 2, retry_delay: 0 } }))
    expect(walk.propose(pending, running).newState?.name).toBe('Running')
    expect(walk.propose(failed, running)).toMatchObject({ written: { name: 'Retrying' }, run: { run_count: 2 } })
    expect(walk.propose(running)).toMatchObject({ written: { name: 'Rerunning' }, run: { run_count: 3 } })
    expect(walk.propose(failed)).toMatchObject({ written: { type: 'FAILED' } })
    expect(walk.propose(running)).toMatchObject({ written: { name: 'Running' }, run: { run_count: 1 } })
  })

  test('a new attempt of the flow run makes a retry, and is noted', () => {
    const flowRun = { state: running, run_count: 2 }
    const walk = taskScenario(aTaskRun({ flow_run_id: 'f', flowRun, flow_run_run_count: 1, run_count: 2, state: failed }))
    expect(walk.propose(running)).toMatchObject({ written: { name: 'Retrying' }, run: { run_count: 1, flow_run_run_count: 2 } })
  })

  test('what was reset for a run that then may not run is not reset', () => {
    const flowRun = { state: completed, run_count: 2 }
    const walk = taskScenario(aTaskRun({ flow_run_id: 'f', flowRun, run_count: 2, state: failed }))
    expect(walk.propose(running)).toMatchObject({ status: 'ABORT', run: { run_count: 2 } })
  })

  test('completing under a cache key is an effect of the state that is written', () => {
    const outcome = taskScenario().propose(running, aState('COMPLETED', { state_details: { cache_key: 'k', cache_expiration: timeAfter(60) } }))
    expect(outcome.effects).toEqual([{ kind: 'cache', cache_key: 'k', cache_expiration: timeAfter(60), state_id: outcome.newState?.id }])
  })

  test('a cached result is of this task, ends it at once and is not cached again', () => {
    const cached = aState('COMPLETED', { data: '42', state_details: { cache_key: 'k', task_run_id: 'earlier', flow_run_id: 'earlier' } })
    const outcome = taskScenario(aTaskRun({ cached })).propose(pending, aState('RUNNING', { state_details: { cache_key: 'k' } }))
    expect(outcome).toMatchObject({
      status: 'REJECT',
      written: { name: 'Cached', data: '42', state_details: { task_run_id: 'task-run', flow_run_id: null } },
      run: { run_count: 0, end_time: outcome.newState?.timestamp },
      effects: [],
    })
  })

  test('tag slots are held while it runs', () => {
    const slots = new InMemorySlots({ 'tag:db': 1 })
    const first = taskScenario(aTaskRun({ id: 'first', tags: ['db'] }), slots)
    const second = taskScenario(aTaskRun({ id: 'second', tags: ['db'] }), slots)
    first.propose(pending, running)
    expect(second.propose(pending, running)).toMatchObject({ status: 'WAIT', written: null, details: { delay_seconds: 30 } })
    first.propose(running, completed)
    expect(second.propose(running)).toMatchObject({ status: 'ACCEPT' })
    second.propose({ force: aState('CRASHED') })
    expect(slots.leases).toEqual([])
  })

  test('deferred tasks are offered, submitted once, and keep their parameters', () => {
    const deferred = (type: 'SCHEDULED' | 'PENDING' | 'RUNNING', more = {}) => aState(type, { state_details: { deferred: true, ...more } })
    const walk = taskScenario()
    expect(walk.propose({ force: deferred('SCHEDULED', { task_parameters_id: 'p' }) }).effects).toEqual([
      { kind: 'enqueue', task_run_id: 'task-run', retry: false },
    ])
    expect(walk.propose(deferred('PENDING')).newState?.state_details.task_parameters_id).toBe('p')
    expect(walk.propose({ force: deferred('PENDING') })).toMatchObject({ status: 'ABORT', written: null })
    expect(walk.propose(deferred('RUNNING')).newState?.state_details.task_parameters_id).toBe('p')
  })

  test('the task that stands for a subflow follows it by force', () => {
    const child = flowScenario(aFlowRun({ parent_task_run_id: 'task-run' })).propose(running)
    const [effect] = child.effects
    if (effect?.kind !== 'parent') throw new Error('the parent is told')
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
      written: { type: 'RUNNING', state_details: { flow_run_id: 'parent-run', task_run_id: 'task-run', child_flow_run_id: 'flow-run' } },
    })
  })
})
