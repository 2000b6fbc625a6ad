import { Link } from '@tanstack/react-router'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Duration, TimeText } from '../../ui/time-text.tsx'
import { Cell, HeadCell, HeadRow, VirtualRows } from '../../ui/virtual-rows.tsx'
import { neighbours, type Scene } from './scene.ts'

const grid = 'grid items-center gap-x-3 px-3 grid-cols-[7.5rem_1fr_5rem] md:grid-cols-[7.5rem_minmax(10rem,2fr)_minmax(8rem,1.5fr)_7rem_5rem]'

interface NodeListProps {
  readonly scene: Scene
  /** Matching nodes, or all without a search. */
  readonly found: readonly number[] | undefined
}

/** The graph as a table of nodes with their upstream nodes. */
export function NodeList({ scene, found }: NodeListProps) {
  return (
    <VirtualRows
      label="Tasks and sub-flows"
      count={found ? found.length : scene.nodes.length}
      rowHeight={34}
      className="min-h-[60dvh] md:min-h-64"
      head={
        <HeadRow className={grid}>
          <HeadCell>State</HeadCell>
          <HeadCell>Name</HeadCell>
          <HeadCell className="hidden md:block">Upstream</HeadCell>
          <HeadCell className="hidden md:block">Start</HeadCell>
          <HeadCell className="text-right">Duration</HeadCell>
        </HeadRow>
      }
      row={(row) => <NodeRow scene={scene} index={found ? (found[row] as number) : row} />}
    />
  )
}

function NodeRow({ scene, index }: { readonly scene: Scene; readonly index: number }) {
  const node = scene.nodes[index]
  if (!node) return null
  const before = neighbours(scene, index, 'before').map((each) => scene.nodes[each]?.label)
  const end = scene.ends[index] as number
  return (
    <div className={`${grid} h-full hover:bg-hover`}>
      <Cell>
        <StateBadge type={node.state_type} />
      </Cell>
      <Cell className="min-w-0">
        <Link
          to={node.kind === 'flow-run' ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
          params={{ id: node.id }}
          className="quiet-link block truncate font-medium"
        >
          {node.label}
        </Link>
      </Cell>
      <Cell className="hidden min-w-0 truncate text-soft md:block">{before.join(', ')}</Cell>
      <Cell className="hidden text-soft md:block">
        <TimeText time={node.start_time} show="second" />
      </Cell>
      <Cell className="text-right text-soft">
        <Duration seconds={Number.isNaN(end) ? null : (end - (scene.starts[index] as number)) / 1000} />
      </Cell>
    </div>
  )
}
