import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

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
