import type { Artifact } from '@millrace/contracts/artifact.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { taskRunQuery } from '../../api/task-runs.ts'
import { Facts } from '../../ui/facts.tsx'
import { TimeText } from '../../ui/time-text.tsx'

/** Origin and time of an artifact. */
export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  return (
    <Facts
      facts={[
        { name: 'Type', value: artifact.type },
        { name: 'Created', value: <TimeText time={artifact.created} show="full" /> },
        artifact.updated !== artifact.created && { name: 'Updated', value: <TimeText time={artifact.updated} show="full" /> },
        artifact.flow_run_id !== null && { name: 'Run', value: <FlowRunLink id={artifact.flow_run_id} /> },
        artifact.task_run_id !== null && { name: 'Task run', value: <TaskRunLink id={artifact.task_run_id} /> },
        ...Object.entries(artifact.metadata_ ?? {}).map(([name, value]) => ({ name, value })),
      ]}
    />
  )
}

export function FlowRunLink({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...flowRunQuery(id), retry: false })
  return (
    <Link to="/runs/flow-run/$id" params={{ id }} className="link">
      {data?.name ?? 'Flow run'}
    </Link>
  )
}

function TaskRunLink({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...taskRunQuery(id), retry: false })
  return (
    <Link to="/runs/task-run/$id" params={{ id }} className="link">
      {data?.name ?? 'Task run'}
    </Link>
  )
}
