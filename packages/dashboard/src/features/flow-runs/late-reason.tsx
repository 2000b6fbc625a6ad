import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { deploymentQuery } from '../../api/deployments.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { poolQueuesQuery } from '../../api/work-queues.ts'
import { workersQuery } from '../../api/workers.ts'
import { explainLateRun } from './explain-late-run.ts'

/** Explains in one line why a run is late. */
export function LateReason({ run }: { readonly run: FlowRunResponse }) {
  const pool = run.work_pool_name
  const pools = useQuery(workPoolsQuery())
  const queues = useQuery({ ...poolQueuesQuery(pool ?? ''), enabled: pool !== null })
  const workers = useQuery({ ...workersQuery(pool ?? ''), enabled: pool !== null })
  const deployment = useQuery({ ...deploymentQuery(run.deployment_id ?? ''), enabled: run.deployment_id !== null })
  if (pools.isPending || (pool !== null && (queues.isPending || workers.isPending))) return <>Checking why…</>
  return (
    <>
      {explainLateRun({
        pool: pools.data?.find(({ name }) => name === pool),
        queue: queues.data?.find(({ id }) => id === run.work_queue_id),
        workers: workers.data,
        deployment: deployment.data,
      })}
    </>
  )
}
