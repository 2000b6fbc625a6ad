import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

export interface FailingWork {
  readonly key: string
  /** The newest of its failures. */
  readonly last: FlowRunResponse
  /** How many in a row, as far back as was looked. */
  readonly failures: number
}

/**
 * Work that failed and has not succeeded since, from ended runs, newest first. The runs of a deployment are the same work, and so are those of
 * a flow without one; sub-flows fail with their parents, which say more.
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
