import type { Node } from '@millrace/contracts/graph.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { taskRunQuery } from '../../api/task-runs.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { useNow } from '../../ui/clock.ts'
import { Facts } from '../../ui/facts.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { neighbours, type Scene } from './scene.ts'

interface NodePanelProps {
  readonly scene: Scene
  readonly index: number
  onSelect(index: number | undefined): void
}

/** Details of one node. */
export function NodePanel({ scene, index, onSelect }: NodePanelProps) {
  const node = scene.nodes[index]
  if (!node) return null
  return (
    <section
      aria-label={`Details of ${node.label}`}
      className="absolute right-2 bottom-2 left-2 flex max-h-[60%] flex-col rounded-md bg-surface shadow-pop sm:top-2 sm:left-auto sm:max-h-none sm:w-72"
    >
      <header className="flex items-start gap-2 border-b border-line py-1.5 pr-1 pl-3">
        <h2 className="min-w-0 flex-1 py-1 font-semibold">{node.label}</h2>
        <IconButton icon="cross" label="Close" onClick={() => onSelect(undefined)} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
        <NodeFacts node={node} />
        <Neighbours title="Upstream" indexes={neighbours(scene, index, 'before')} scene={scene} onSelect={onSelect} />
        <Neighbours title="Downstream" indexes={neighbours(scene, index, 'after')} scene={scene} onSelect={onSelect} />
        {node.artifacts.length > 0 && (
          <div>
            <h3 className="pb-1 font-medium text-faint text-sm">Artifacts</h3>
            <ul>
              {node.artifacts.map((artifact) => (
                <li key={artifact.id}>
                  <Link to="/artifacts/artifact/$id" params={{ id: artifact.id }} className="link">
                    {artifact.key ?? artifact.type ?? 'artifact'}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <footer className="border-t border-line p-2">
        {node.kind === 'flow-run' ? (
          <Link to="/runs/flow-run/$id" params={{ id: node.id }} search={{ tab: 'graph' }} className={`${buttonClass('plain')} w-full`}>
            Open flow run
          </Link>
        ) : (
          <Link to="/runs/task-run/$id" params={{ id: node.id }} className={`${buttonClass('plain')} w-full`}>
            Open task run
          </Link>
        )}
      </footer>
    </section>
  )
}

function NodeFacts({ node }: { readonly node: Node }) {
  const present = useNow(1)
  const isFlow = node.kind === 'flow-run'
  const task = useQuery({ ...taskRunQuery(node.id), enabled: !isFlow })
  const flow = useQuery({ ...flowRunQuery(node.id), enabled: isFlow })
  const run = isFlow ? flow.data : task.data
  const end = node.end_time ? toMillis(node.end_time) : node.state_type === 'RUNNING' ? present : undefined
  return (
    <>
      <StateBadge type={node.state_type} name={run?.state_type === node.state_type ? run.state_name : null} />
      {run?.state?.message && <p className="line-clamp-4 whitespace-pre-wrap text-soft text-sm">{run.state.message}</p>}
      <Facts
        facts={[
          { name: 'Kind', value: isFlow ? 'Sub-flow' : 'Task' },
          { name: 'Started', value: <TimeText time={node.start_time} show="second" /> },
          node.end_time !== null && { name: 'Ended', value: <TimeText time={node.end_time} show="second" /> },
          end !== undefined && { name: 'Duration', value: formatDuration(Math.max(0, end - toMillis(node.start_time)) / 1000) },
          run && run.run_count > 1 && { name: 'Attempts', value: run.run_count },
          run && run.tags.length > 0 && { name: 'Tags', value: <TagList tags={run.tags} limit={6} /> },
        ]}
      />
    </>
  )
}

const listed = 30

interface NeighboursProps {
  readonly title: string
  readonly indexes: readonly number[]
  readonly scene: Scene
  onSelect(index: number): void
}

function Neighbours({ title, indexes, scene, onSelect }: NeighboursProps) {
  if (indexes.length === 0) return null
  return (
    <div>
      <h3 className="pb-1 font-medium text-faint text-sm">
        {title} {indexes.length > 1 && indexes.length.toLocaleString()}
      </h3>
      <ul>
        {indexes.slice(0, listed).map((index) => (
          <li key={scene.nodes[index]?.id}>
            <button type="button" className="quiet-link block max-w-full truncate text-left" onClick={() => onSelect(index)}>
              {scene.nodes[index]?.label}
            </button>
          </li>
        ))}
      </ul>
      {indexes.length > listed && <p className="text-faint text-sm">and {(indexes.length - listed).toLocaleString()} more</p>}
    </div>
  )
}
