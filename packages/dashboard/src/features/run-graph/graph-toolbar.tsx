import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { type GraphView, graphViews } from './graph-views.ts'

interface GraphToolbarProps {
  readonly view: GraphView
  onView(view: GraphView): void
  readonly searchText: string
  onSearchText(searchText: string): void
  /** Position in the search results. */
  readonly matchStatus: string
  onNext(by: 1 | -1): void
  /** Undefined when the run has ended. */
  readonly follow: boolean | undefined
  onFollow(follow: boolean): void
  onZoom(factor: number): void
}

/** View, search and zoom controls. */
export function GraphToolbar({
  view,
  onView,
  searchText: words,
  onSearchText: onWords,
  matchStatus: standing,
  onNext,
  follow,
  onFollow,
  onZoom,
}: GraphToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedControl label="View" value={view} onChange={onView} options={graphViews} />
      <label className="field flex h-8 min-w-40 flex-1 basis-40 items-center gap-2 py-0 sm:max-w-64">
        <Icon name="search" size={14} className="text-faint" />
        <input
          aria-label="Find task"
          placeholder="Find task"
          value={words}
          onChange={(event) => onWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            onNext(event.shiftKey ? -1 : 1)
          }}
          className="min-w-0 flex-1 bg-transparent outline-none"
        />
        {standing && (
          <span role="status" className="shrink-0 text-faint text-sm">
            {standing}
          </span>
        )}
      </label>
      {view !== 'list' && (
        <span className="ml-auto flex items-center gap-1">
          {follow !== undefined && (
            <Button icon="tail" variant={follow ? 'plain' : 'quiet'} aria-pressed={follow} onClick={() => onFollow(!follow)}>
              Follow
            </Button>
          )}
          <IconButton icon="minus" label="Zoom out" keys="-" onClick={() => onZoom(1 / 1.4)} />
          <IconButton icon="plus" label="Zoom in" keys="+" onClick={() => onZoom(1.4)} />
          <Button onClick={() => onFollow(true)}>Fit</Button>
        </span>
      )}
    </div>
  )
}
