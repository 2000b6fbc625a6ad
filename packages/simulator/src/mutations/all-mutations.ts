import type { Mutation } from './mutation.ts'

/**
 * Faults that earlier versions had, and safeguards that a change could remove by accident. The simulator must find each of them. A mutation whose text is no
 * longer in the source is an error, so that the list follows the code.
 */
export const allMutations: readonly Mutation[] = [
  {
    name: 'machine-clock',
    fault: 'servers judge leases by the clock of their machine instead of the clock of the database (ADR 0012)',
    edits: [
      {
        file: 'lib/synced-clock.ts',
        find: 'this.#best === undefined ? this.#machine.wall()',
        replace: 'this.#best !== undefined ? this.#machine.wall()',
      },
    ],
    invariants: ['global limit', 'deployment limit', 'one run per schedule and time', 'every run ends', 'slots are released'],
    seedsMax: 200,
  },
  {
    name: 'commit-repeated',
    fault: 'a commit with an unknown outcome is repeated, and its writes are applied twice',
    edits: [
      {
        file: 'storage/run-commands.ts',
        find: 'if (committing && this.isConnectionLost(error)',
        replace: 'if (began < 0 && this.isConnectionLost(error)',
      },
    ],
    invariants: ['no write is applied twice', 'one run per schedule and time', 'no unexpected answers', 'automations fire once per cause'],
    seedsMax: 300,
  },
  {
    name: 'answer-before-commit',
    fault: 'a command is acknowledged before its commit',
    edits: [{ file: 'storage/run-commands.ts', find: '      await committed\n', replace: '      committed.catch(() => undefined)\n' }],
    invariants: ['acknowledged writes', 'no unexpected answers'],
    seedsMax: 20,
    isDaily: true,
  },
  {
    name: 'planned-twice',
    fault: 'several servers plan the same times of a schedule, and no idempotency key prevents the second run',
    edits: [
      { file: 'domains/deployments/planned-runs.ts', find: 'idempotency_key: `scheduled', replace: 'idempotency_key: performance.now() + `' },
      { file: 'domains/deployments/plan-runs.ts', find: '.filter((time) => time > plannedUntil)', replace: '' },
    ],
    invariants: ['one run per schedule and time'],
    seedsMax: 60,
  },
  {
    name: 'cursor-not-compared',
    fault: 'two servers evaluate the same events: the cursor is advanced without comparing it',
    edits: [{ file: 'events/cursor.ts', find: 'where name = $1 and seen = $2', replace: 'where name = $1 and seen <> -$2 - 1' }],
    invariants: ['automations fire once per cause'],
    seedsMax: 40,
    isDaily: true,
  },
  {
    name: 'action-not-claimed',
    fault: 'two servers execute the same action of an automation',
    edits: [{ file: 'automations/execute-action.ts', find: "if (!(await lockAction(tx, row))) return 'gone'", replace: 'await lockAction(tx, row)' }],
    invariants: ['automations fire once per cause'],
    seedsMax: 40,
  },
  {
    name: 'slot-leak',
    fault: 'a run that ends keeps the slot of its deployment',
    edits: [
      {
        file: 'orchestration/rules/release-deployment-slot.ts',
        find: 'if (run.deployment_id === null || holdsSlot(proposed)) return undefined',
        replace: "if (run.deployment_id === null || holdsSlot(proposed) || proposed.type === 'CRASHED') return undefined",
      },
    ],
    invariants: ['slots are released', 'every run ends'],
    seedsMax: 300,
  },
  {
    name: 'writer-hangs',
    fault: 'the commands of a failed transaction are never answered',
    edits: [
      {
        file: 'storage/write-queue.ts',
        find: 'for (const command of unsettled) if (!command.isSettled && !command.isHeld) runner.fail(command, error)',
        replace: '',
      },
    ],
    invariants: ['requests are answered', 'every run ends', 'setup', 'events are processed'],
    seedsMax: 200,
  },
  {
    name: 'event-stored-twice',
    fault: 'an event that a client sends again is stored again',
    edits: [{ file: 'storage/sqlite/append-events.ts', find: 'on conflict (id) do nothing', replace: '' }],
    invariants: ['no unexpected answers', 'acknowledged writes', 'services do not fail'],
    seedsMax: 40,
    isDaily: true,
  },
  {
    name: 'event-without-state',
    fault: 'the events of a transaction are lost when its commands are executed one by one',
    edits: [
      {
        file: 'storage/run-commands.ts',
        find: 'if (tx.events.length > 0) await this.#options.writeEvents',
        replace: 'if (tx.events.length > 0 && onCommit) await this.#options.writeEvents',
      },
    ],
    invariants: ['events match states', 'acknowledged writes'],
    seedsMax: 300,
  },
  {
    name: 'late-task-event-wins',
    fault: 'a task event that arrives late replaces a newer state',
    edits: [
      {
        file: 'runs/record-reports.ts',
        find: 'if (!reconciled && comesAfter(first.state, stored)) return',
        replace: 'if (!reconciled) return',
      },
    ],
    invariants: ['order of task events'],
    seedsMax: 100,
  },
  {
    name: 'automation-storm',
    fault: 'automations that match every event react to each other without end',
    edits: [
      { file: 'automations/evaluate.ts', find: 'if (!canExtendChain(chain, registered.automation.id)) {', replace: 'if (chain.length > 1000) {' },
      { file: 'automations/evaluate.ts', find: 'if (limits.isSuspended(registered.automation.id)) continue', replace: '' },
      {
        file: 'automations/step-outcome.ts',
        find: 'if (!(await this.limits.allow(automation, { at: place.at, chained: chain.length > 0 }))) return',
        replace: '',
      },
    ],
    invariants: ['no automation storm', 'events are processed'],
    seedsMax: 60,
    isLong: true,
  },
  {
    name: 'subscriber-joins-late',
    fault: 'a subscriber that joins others starts where they are instead of behind its last event',
    edits: [
      {
        file: 'events/live.ts',
        find: 'const subscriber = { listener, position: after }',
        replace: 'const subscriber = { listener, position: position ?? after }',
      },
    ],
    invariants: ['cursors never skip', 'event order', 'events are processed'],
    seedsMax: 200,
  },
  {
    name: 'orphans-stay',
    fault: 'a pending run whose worker is gone stays pending',
    edits: [{ file: 'services/zombie-runs.ts', find: 'while (!signal.aborted && count(', replace: 'while (signal.aborted && count(' }],
    invariants: ['every run ends'],
    seedsMax: 300,
  },
  {
    name: 'leases-not-loaded',
    fault: 'load: rules see the limits without the slots that others hold',
    edits: [{ file: 'runs/slots/run-slots.ts', find: '    readLiveLeases(tx, names, now),', replace: '    [] as LeaseRow[],' }],
    invariants: ['deployment limit', 'tag limit', 'slots are released', 'global limit'],
    seedsMax: 100,
  },
  {
    name: 'stored-states-not-loaded',
    fault: 'load: a report that arrives twice is recorded twice',
    edits: [
      {
        file: 'runs/load.ts',
        find: '    storedStates: known.storedStates,',
        replace: '    storedStates: new Set(),',
      },
    ],
    invariants: ['no unexpected answers', 'acknowledged writes', 'requests are answered', 'no write is applied twice'],
    seedsMax: 200,
  },
  {
    name: 'answers-exchanged',
    fault: 'decide: commands of a batch get the answers of their neighbours',
    edits: [{ file: 'runs/decide.ts', find: 'return { answers, changes }', replace: 'return { answers: answers.reverse(), changes }' }],
    invariants: ['every run ends', 'no unexpected answers', 'acknowledged writes', 'requests are answered', 'deployment limit'],
    seedsMax: 100,
  },
  {
    name: 'refusals-written',
    fault: 'decide: a state that the rules have refused is entered all the same',
    edits: [
      {
        file: 'runs/propose.ts',
        find: 'if (outcome.run !== run || outcome.newState) kind.enter(deciding, row, run, outcome, proposal)',
        replace: 'kind.enter(deciding, row, run, { ...outcome, newState: outcome.newState ?? proposed }, proposal)',
      },
    ],
    invariants: ['deployment limit', 'tag limit', 'current state', 'event order', 'no unexpected answers', 'events match states'],
    seedsMax: 100,
  },
  {
    name: 'state-not-saved',
    fault: 'save: a run enters a state that its history lacks',
    edits: [{ file: 'runs/save.ts', find: "    ...insertOf('flow_run_state', flowRunStates),", replace: '' }],
    invariants: ['events match states', 'current state', 'acknowledged writes', 'no unexpected answers'],
    seedsMax: 20,
  },
  {
    name: 'slots-not-saved',
    fault: 'save: the slots that runs take and return are not written',
    edits: [{ file: 'runs/save.ts', find: '    ...slots.writes(dialect),', replace: '' }],
    invariants: ['deployment limit', 'tag limit', 'slots are released'],
    seedsMax: 60,
  },
  {
    name: 'event-not-emitted',
    fault: 'save: the events of a batch are forgotten',
    edits: [{ file: 'runs/save.ts', find: '  for (const event of changes.events) tx.emit(event)', replace: '' }],
    invariants: ['events match states', 'acknowledged writes', 'every run ends', 'events are processed'],
    seedsMax: 20,
  },
]
