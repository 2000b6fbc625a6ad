import type { Log } from '@millrace/contracts/log.ts'
import { useLocation } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { AnsiText } from '../../ui/ansi-text.tsx'
import { classNames } from '../../ui/classes.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { levelClass, levelName } from './format-logs.ts'

const lineHeight = 20

interface LogLinesProps {
  readonly logs: readonly Log[]
  readonly wrap: boolean
  /** Scrolls to the end as lines arrive. */
  readonly follow: boolean
  onScrollBack(): void
  /** More lines can be loaded. */
  readonly hasMore: boolean
  onEnd(): void
}

/** Virtualized log lines. Each line number links to its line. */
export function LogLines({ logs, wrap, follow, onScrollBack, hasMore, onEnd }: LogLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useVirtualizer({
    count: logs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 30,
    anchorTo: follow ? 'end' : 'start',
    followOnAppend: follow,
  })
  const shown = lines.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const linked = useLocation({ select: ({ hash }) => Number(/^#?L(\d+)$/.exec(hash)?.[1] ?? 0) })
  const scrolledTo = useRef(0)

  useEffect(() => {
    if (last >= logs.length - 50 || (hasMore && linked > logs.length)) onEnd()
  }, [last, logs.length, hasMore, linked, onEnd])
  useEffect(() => {
    if (follow) lines.scrollToEnd()
  }, [follow, lines])
  useEffect(() => {
    // Scrolls once: later lines must not move the reader.
    if (linked === 0 || linked > logs.length || scrolledTo.current === linked) return
    scrolledTo.current = linked
    lines.scrollToIndex(linked - 1, { align: 'center' })
  }, [linked, logs.length, lines])

  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable
      tabIndex={0}
      onWheel={(event) => event.deltaY < 0 && follow && onScrollBack()}
      className="card h-[70dvh] shrink-0 md:h-auto md:min-h-64 md:flex-1 md:shrink overflow-auto bg-surface py-2 font-mono text-sm"
    >
      <div className="relative" style={{ height: lines.getTotalSize(), ...(wrap ? {} : { width: 'max-content', minWidth: '100%' }) }}>
        {shown.map((item) => {
          const log = logs[item.index] as Log
          const number = item.index + 1
          return (
            <div
              key={item.key}
              ref={lines.measureElement}
              data-index={item.index}
              className={classNames(
                'absolute left-0 flex gap-2 px-2 sm:gap-3 sm:px-3 hover:bg-hover',
                wrap ? 'right-0' : 'min-w-full',
                linked === number && 'bg-wash',
                log.level >= 40 && 'bg-danger-wash',
              )}
              style={{ top: 0, transform: `translateY(${item.start}px)` }}
            >
              <a
                href={`${location.pathname}${location.search}#L${number}`}
                aria-label={`Line ${number}`}
                className="w-7 shrink-0 select-none sm:w-10 text-right text-faint hover:text-accent"
              >
                {number}
              </a>
              <TimeText time={log.timestamp} show="milli" className="hidden shrink-0 text-faint sm:inline" />
              <span className={`shrink-0 sm:w-16 ${levelClass(log.level)}`}>
                <span className="sr-only sm:not-sr-only">{levelName(log.level)}</span>
                <span aria-hidden="true" className="sm:hidden">
                  {levelName(log.level)[0]}
                </span>
              </span>
              <span className={classNames('min-w-0', wrap ? 'whitespace-pre-wrap break-words' : 'whitespace-pre')}>
                <AnsiText text={log.message} />
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}
