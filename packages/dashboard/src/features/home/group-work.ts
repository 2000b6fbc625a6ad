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
