import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

export interface FailingWork {
  readonly key: string
  /** Latest failed run. */
  readonly last: FlowRunResponse
  /** Consecutive failures within the loaded runs. */
  readonly failures: number
}

/**
 * Deployments and flows whose last run failed, from finished runs, newest first. Runs of a deployment form one group; other runs group by flow.
 * Subflow runs are skipped: their parent fails too and says more.
 */
export function failingWork(ended: readonly FlowRunResponse[]): FailingWork[] {
  const seen = new Map<string, { last: FlowRunResponse; failures: number; recovered: boolean }>()
  for (const run of ended) {
    if (run.parent_task_run_id !== null) continue
    const key = run.deployment_id ?? run.flow_id
    const known = seen.get(key)
    const failed = run.state_type !== 'COMPLETED'
    if (!known) seen.set(key, { last: run, failures: failed ? 1 : 0, recovered: !failed })
    else if (!known.recovered && failed) known.failures += 1
    else known.recovered = true
  }
  return [...seen].flatMap(([key, { last, failures }]) => (failures > 0 ? [{ key, last, failures }] : []))
}

export interface LateWork {
  readonly key: string
  readonly oldest: FlowRunResponse
  readonly count: number
}

/** Late runs, oldest first, grouped by deployment: they have the same cause. */
export function lateWork(late: readonly FlowRunResponse[]): LateWork[] {
  const groups = new Map<string, { oldest: FlowRunResponse; count: number }>()
  for (const run of late) {
    const key = run.deployment_id ?? run.flow_id
    const known = groups.get(key)
    if (known) known.count += 1
    else groups.set(key, { oldest: run, count: 1 })
  }
  return [...groups].map(([key, group]) => ({ key, ...group }))
}
