import type { TaskInputs } from '@millrace/contracts/task-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { taskRunQuery } from '../../api/task-runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Facts } from '../../ui/facts.tsx'

type Source = TaskInputs[string][number]

/** The source of each task argument. */
export function TaskInputsView({ inputs }: { readonly inputs: TaskInputs }) {
  const named = Object.entries(inputs)
  if (named.length === 0) return <EmptyState title="No inputs">Results of other tasks passed to this task appear here.</EmptyState>
  return (
    <section aria-label="Inputs" className="card max-w-2xl p-4">
      <Facts
        facts={named.map(([name, sources]) => ({
          name: name === '__parents__' ? 'Parent' : name === 'wait_for' ? 'Waited for' : name,
          value: (
            <ul>
              {sources.map((source) => (
                <li key={'id' in source ? source.id : 'name' in source ? source.name : source.type}>
                  <SourceView source={source} />
                </li>
              ))}
              {sources.length === 0 && <li className="text-faint">constant value</li>}
            </ul>
          ),
        }))}
      />
    </section>
  )
}

function SourceView({ source }: { readonly source: Source }) {
  if (!('id' in source)) return <span className="text-soft">{'name' in source ? `parameter ${source.name}` : `a ${source.type}`}</span>
  return source.input_type === 'flow_run' ? <FlowRunSource id={source.id} /> : <TaskRunSource id={source.id} />
}

function TaskRunSource({ id }: { readonly id: string }) {
  const { data } = useQuery(taskRunQuery(id))
  return (
    <Link to="/runs/task-run/$id" params={{ id }} className="link">
      {data?.name ?? id}
    </Link>
  )
}

function FlowRunSource({ id }: { readonly id: string }) {
  const { data } = useQuery(flowRunQuery(id))
  return (
    <Link to="/runs/flow-run/$id" params={{ id }} className="link">
      {data?.name ?? id}
    </Link>
  )
}
