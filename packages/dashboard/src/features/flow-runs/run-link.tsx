import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowQuery } from '../../api/flows.ts'

/** The name of a flow. Rows share one batched request. */
export function FlowName({ id }: { readonly id: string }) {
  const { data } = useQuery(flowQuery(id))
  return <>{data === undefined ? '…' : (data?.name ?? 'deleted flow')}</>
}

/** Links to a run as "flow / run". */
export function RunLink({ run }: { readonly run: Pick<FlowRunResponse, 'id' | 'name' | 'flow_id'> }) {
  return (
    <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="quiet-link flex min-w-0 items-baseline gap-1.5">
      <span className="min-w-0 truncate text-soft">
        <FlowName id={run.flow_id} />
      </span>
      <span aria-hidden="true" className="text-faint">
        /
      </span>
      <span className="min-w-0 shrink-0 max-w-[60%] truncate font-medium">{run.name}</span>
    </Link>
  )
}
