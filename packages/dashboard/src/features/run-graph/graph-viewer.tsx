import type { StateType } from '@millrace/contracts/state.ts'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { useNow } from '../../ui/clock.ts'
import { displayStateLabel, toDisplayState } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { typingPauseSeconds, useOptimisticValue } from '../../ui/use-optimistic-value.ts'
import { StateFilterButtons } from '../task-runs/state-filter-buttons.tsx'
import { dependenciesPlot } from './dependencies-plot.ts'
import { GraphCanvas, type GraphHandle } from './graph-canvas.tsx'
import { GraphToolbar } from './graph-toolbar.tsx'
import type { GraphSearch } from './graph-views.ts'
import { NodeList } from './node-list.tsx'
import { NodePanel } from './node-panel.tsx'
import type { Plot } from './plot.ts'
import type { Scene } from './scene.ts'
import { findNodes } from './scene.ts'
import { timelinePlot } from './timeline-plot.ts'
import { useLayeredLayout } from './use-layered-layout.ts'

interface GraphViewerProps {
  readonly scene: Scene
  readonly growing: boolean
  readonly search: GraphSearch
  onSearch(change: GraphSearch): void
}

/** A graph with toolbar, legend and details. */
export function GraphViewer({ scene: newest, growing, search, onSearch }: GraphViewerProps) {
  const navigate = useNavigate()
  const view = search.view ?? 'timeline'
  const [words, setWords] = useOptimisticValue(search.find ?? '', (find) => onSearch({ find: find || undefined }), typingPauseSeconds)
  const [chosen, setChosen] = useState<string>()
  const [follow, setFollow] = useState(true)
  const canvas = useRef<GraphHandle>(null)
  const { scene, plot } = usePlot(newest, view, growing)

  const found = useMemo(() => findNodes(scene, words, chosen ? toDisplayState(chosen as StateType) : undefined), [scene, words, chosen])
  const foundSet = useMemo(() => found && new Set(found), [found])
  const selected = search.node === undefined ? undefined : scene.indexOf.get(search.node)
  const select = (index: number | undefined) => onSearch({ node: index === undefined ? undefined : scene.nodes[index]?.id })
  const goTo = (index: number) => {
    select(index)
    canvas.current?.show(index)
  }
  const next = (by: 1 | -1) => {
    if (!found || found.length === 0) return
    const at = selected === undefined ? -1 : found.indexOf(selected)
    goTo(found[(at + by + found.length) % found.length] as number)
  }
  const open = (index: number) => {
    const node = scene.nodes[index]
    if (!node) return
    void navigate(
      node.kind === 'flow-run'
        ? { to: '/runs/flow-run/$id', params: { id: node.id }, search: { tab: 'graph' } }
        : { to: '/runs/task-run/$id', params: { id: node.id } },
    )
  }
  const counts = useMemo(() => countByState(scene), [scene])
  const at = found && selected !== undefined ? found.indexOf(selected) + 1 : 0
  const matchPosition = found ? (at > 0 ? `${at} of ${found.length.toLocaleString()}` : found.length.toLocaleString()) : ''

  return (
    <section aria-label="Graph" className="flex min-h-0 flex-1 flex-col gap-2">
      <GraphToolbar
        view={view}
        onView={(chosenView) => onSearch({ view: chosenView === 'timeline' ? undefined : chosenView })}
        searchText={words}
        onSearchText={setWords}
        matchStatus={matchPosition}
        onNext={next}
        follow={growing ? follow : undefined}
        onFollow={setFollow}
        onZoom={(factor) => canvas.current?.zoom(factor)}
      />
      {view === 'list' ? (
        <NodeList scene={scene} found={found} />
      ) : (
        <div className="card relative min-h-[60dvh] flex-1 overflow-hidden md:min-h-72">
          {plot ? (
            <GraphCanvas
              key={view}
              ref={canvas}
              plot={plot}
              label={`${scene.nodes.length.toLocaleString()} tasks and sub-flows. Use arrow keys to move, Enter to open, plus and minus to zoom, and 0 to fit.`}
              selected={selected}
              found={foundSet}
              follow={follow}
              onMove={() => setFollow(false)}
              onFit={() => setFollow(true)}
              onSelect={select}
              onOpen={open}
            />
          ) : (
            <Skeleton className="absolute inset-0 size-full rounded-lg" />
          )}
          {selected !== undefined && (
            <NodePanel scene={scene} index={selected} onSelect={(index) => (index === undefined ? select(undefined) : goTo(index))} />
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-faint text-sm">
        <StateFilterButtons counts={counts} chosen={chosen} onChoose={setChosen} />
        {view === 'dependencies' && <span>Tasks run left to right. Double border: sub-flow. Dot: has artifacts.</span>}
        <span role="status" className="sr-only">
          {selected !== undefined && `${scene.nodes[selected]?.label}, ${displayStateLabel(scene.displayStates[selected] ?? 'pending')}`}
        </span>
      </div>
    </section>
  )
}

/** The plot of a view and the scene of its indexes. While a grown graph is laid out, the previous plot stays. */
function usePlot(newest: Scene, view: string, growing: boolean): { readonly scene: Scene; readonly plot: Plot | undefined } {
  const preferences = usePreferences()
  const present = useNow(growing ? 1 : 3600)
  const laidOut = useLayeredLayout(newest, view === 'dependencies')
  const layered = useMemo(() => laidOut && dependenciesPlot(laidOut.scene, laidOut.layout), [laidOut])
  const timeline = useMemo(
    () => (view === 'timeline' ? timelinePlot(newest, { present, formatTick: (at, style) => formatTime(at, style, preferences) }) : undefined),
    [newest, view, present, preferences],
  )
  return view === 'dependencies' ? { scene: laidOut?.scene ?? newest, plot: layered } : { scene: newest, plot: timeline }
}

function countByState(scene: Scene) {
  const counts: Partial<Record<StateType, number>> = {}
  for (const { state_type } of scene.nodes) counts[state_type] = (counts[state_type] ?? 0) + 1
  return counts
}
