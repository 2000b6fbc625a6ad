import type { Micros } from '../../lib/time.ts'
import { zombieFlowRunPolicy } from '../../orchestration/policies.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import type { SetStateResult } from '../../runs/command.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { crashMessage, heartbeatTimeout, type SilentRun } from './heartbeat-timeouts.ts'

interface LastActivity {
  readonly id: string
  readonly state_id: string
  readonly received: Micros
  readonly last_log: Micros | null
  readonly last_task: Micros | null
}

/** Includes the last log and task run update: a process that sends either is alive. */
const lastActivity = statement(
  (dialect) => `select flow_run.id, flow_run.state_id, heartbeat.received,
      (select max(log.created) from log where log.flow_run_id = flow_run.id and log.timestamp > heartbeat.occurred) as last_log,
      (select max(task_run.updated) from task_run where task_run.flow_run_id = flow_run.id) as last_task
    from flow_run join flow_run_heartbeat heartbeat on heartbeat.flow_run_id = flow_run.id
    where ${dialect.inList('flow_run.id', '$1', 'uuid')} and flow_run.state_type = 'RUNNING'
    order by flow_run.id ${dialect.skipLocked && 'for update of flow_run skip locked'}`,
)

export interface CrashCounts {
  readonly crashed: number
  readonly rescheduled: number
}

/** Crashes the runs that are still silent, or reschedules them if they have retries left. */
export const crashSilentRuns =
  (context: ActingContext, runs: readonly SilentRun[]) =>
  async (tx: Tx): Promise<CrashCounts> => {
    const now = context.clock.now()
    const found = new Map((await tx.all<LastActivity>(lastActivity, [tx.dialect.list(runs.map(({ id }) => id))])).map((row) => [row.id, row]))
    const silent = runs.filter((run) => {
      const activity = found.get(run.id)
      if (!activity || activity.state_id !== run.state_id || activity.received !== run.received) return false
      return Math.max(activity.last_log ?? 0, activity.last_task ?? 0) < now - heartbeatTimeout(context, run)
    })
    return crashRuns(
      context,
      tx,
      silent.map((run) => ({ id: run.id, message: crashMessage(run, now) })),
    )
  }

/** Crashes runs whose process or worker is gone. A rescheduled run has no infrastructure, so its pid and worker are cleared. */
export async function crashRuns(
  context: ActingContext,
  tx: Tx,
  runs: readonly { readonly id: string; readonly message: string }[],
): Promise<CrashCounts> {
  if (runs.length === 0) return { crashed: 0, rescheduled: 0 }
  const results = await changeRunsIn(
    context,
    tx,
    runs.map(({ id, message }) => ({
      kind: 'propose_flow_run' as const,
      actor: context.actor,
      id,
      state: { type: 'CRASHED', message },
      policy: zombieFlowRunPolicy,
    })),
  )
  const idsIn = (type: string): string[] => runs.filter((_, index) => resultedIn(results[index], type)).map(({ id }) => id)
  const rescheduled = idsIn('SCHEDULED')
  const columns = { infrastructure_pid: null, worker_name: null }
  await changeRunsIn(
    context,
    tx,
    rescheduled.map((id) => ({ kind: 'change_flow_run' as const, actor: context.actor, id, columns })),
  )
  return { crashed: idsIn('CRASHED').length, rescheduled: rescheduled.length }
}

const resultedIn = (result: SetStateResult | Error | undefined, type: string): boolean =>
  result !== undefined && !(result instanceof Error) && result.written && result.result.state?.type === type
