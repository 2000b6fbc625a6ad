import { type Actor, actorColumn, addActor } from '../lib/actor.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { changeFlowRun, changeTaskRun } from './change-run.ts'
import type { Changes } from './changes.ts'
import type { ReportEvents, RunCommand } from './command.ts'
import { createFlowRun } from './create-flow-run.ts'
import { createTaskRun } from './create-task-run.ts'
import { Deciding } from './deciding.ts'
import { endTaskRun } from './end-task-run.ts'
import { flowRunKind, taskRunKind } from './kinds.ts'
import type { Loaded } from './load.ts'
import { propose } from './propose.ts'
import { recordHeartbeats, recordReports } from './record-reports.ts'
import { reportRun } from './report-run.ts'

/** The answer to each command, an error for one that is refused, and all that is to be written. */
export interface Decision {
  readonly answers: readonly unknown[]
  readonly changes: Changes
}

/**
 * Decides about the commands in the order of their arrival, on what was loaded and nothing else. Each sees what those before it have changed. Reports are
 * recorded together, where the first of them stands: their order is that of their times.
 */
export function decide(context: ServerContext, loaded: Loaded, commands: readonly RunCommand[]): Decision {
  const deciding = new Deciding(context, loaded)
  const reports = commands.filter((command): command is ReportEvents => command.kind === 'report')
  let recorded: ReadonlyMap<ReportEvents, Error | null> | undefined
  const { changes } = deciding
  const reporters = new Map<string, Actor>()
  const answer = (command: RunCommand): unknown => {
    switch (command.kind) {
      case 'create_flow_run':
        return createFlowRun(deciding, command.draft)
      case 'create_task_run':
        return createTaskRun(deciding, command.draft)
      case 'propose_flow_run':
        return propose(flowRunKind, deciding, command)
      case 'propose_task_run':
        return propose(taskRunKind, deciding, command)
      case 'change_flow_run':
        return changeFlowRun(deciding, command)
      case 'change_task_run':
        return changeTaskRun(deciding, command)
      case 'end_task_run':
        return endTaskRun(deciding, command)
      case 'report':
        if (!recorded) {
          recorded = recordReports(deciding, reports)
          if (reports.some(({ actor }) => actor.kind !== 'anonymous'))
            for (const { actor, taskEvents } of reports)
              for (const { state } of taskEvents) if (!reporters.has(state.id)) reporters.set(state.id, actor)
        }
        return recorded.get(command)
      case 'report_run':
        return reportRun(deciding, command)
    }
  }
  const answers = commands.map((command) => {
    const before: Added = { flowRunStates: changes.flowRunStates.length, taskRunStates: changes.taskRunStates.length, events: changes.events.length }
    const answered = answer(command)
    addActors(changes, before, command.actor, reporters)
    return answered
  })
  recordHeartbeats(deciding)
  return { answers, changes }
}

type Added = Readonly<Record<'flowRunStates' | 'taskRunStates' | 'events', number>>

/** What a command has added to the changes has its actor. `reporters` are those of reported states, which all reports of the batch add at once. */
function addActors(changes: Changes, before: Added, actor: Actor, reporters: ReadonlyMap<string, Actor>): void {
  if (actor.kind === 'anonymous' && reporters.size === 0) return
  for (const states of [changes.flowRunStates.slice(before.flowRunStates), changes.taskRunStates.slice(before.taskRunStates)])
    for (const state of states) state.actor = actorColumn(reporters.get(state.id) ?? actor)
  addActor(changes.events, before.events, actor)
}
