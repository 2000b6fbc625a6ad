import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { FlowRunsFilter } from '../../api/flow-runs.ts'

/** Finds the previous run of the deployment, or of the flow without a deployment. */
export const previousRunFilter = (
  run: Pick<FlowRunResponse, 'id' | 'flow_id' | 'deployment_id' | 'start_time' | 'expected_start_time'>,
): FlowRunsFilter => ({
  flows: { id: { any_: [run.flow_id] } },
  ...(run.deployment_id && { deployments: { id: { any_: [run.deployment_id] } } }),
  flow_runs: { id: { not_any_: [run.id] }, start_time: { before_: run.start_time ?? run.expected_start_time, is_null_: false } },
  sort: 'START_TIME_DESC',
  limit: 1,
})
