import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { type GraphView, graphViews } from './graph-views.ts'

interface GraphBarProps {
  readonly view: GraphView
  onView(view: GraphView): void
  readonly words: string
  onWords(words: string): void
  /** Where the search stands, in words. */
  readonly standing: string
  onNext(by: 1 | -1): void
  /** Undefined where there is nothing to follow. */
  readonly follow: boolean | undefined
  onFollow(follow: boolean): void
  onZoom(factor: number): void
}

/** How the graph is seen: which way, what is looked for, how near. */
export function GraphBar({ view, onView, words, onWords, standing, onNext, follow, onFollow, onZoom }: GraphBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented label="Shown as" value={view} onChange={onView} options={graphViews} />
      <label className="field flex h-8 min-w-40 flex-1 basis-40 items-center gap-2 py-0 sm:max-w-64">
        <Icon name="search" size={14} className="text-faint" />
        <input
          aria-label="Find a task"
          placeholder="Find a task"
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
            <Button icon="tail" look={follow ? 'plain' : 'quiet'} aria-pressed={follow} onClick={() => onFollow(!follow)}>
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
