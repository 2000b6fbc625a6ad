import type { SimpleFlowRun } from '@millrace/contracts/ui.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { stateFill, toDisplayState } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { StateBadge } from '../../ui/state-badge.tsx'
import { formatDuration, formatTime, toMillis } from '../../ui/time-format.ts'
import { FlowName } from '../flow-runs/run-link.tsx'
import { assignLanes } from './assign-lanes.ts'
import type { TimeWindow } from './time-window.ts'

const lanesMax = 14
const laneHeight = 7
const barHeight = 5
const widthMin = 4

interface RunLanesProps {
  readonly runs: readonly SimpleFlowRun[]
  readonly window: TimeWindow
  readonly width: number
}

/** Each run as a bar of its duration; scheduled runs are hollow. Hidden from screen readers: the histogram and the run list have the same data. */
export function RunLanes({ runs, window, width }: RunLanesProps) {
  const [pointed, setPointed] = useState<{ run: SimpleFlowRun; x: number }>()
  const navigate = useNavigate()
  const strokes = useMemo(() => {
    const scale = width / (window.end - window.start)
    const sorted = runs
      .map((run) => {
        const from = (toMillis(run.timestamp) - window.start) * scale
        return { run, from, to: from + Math.max(widthMin, run.duration * 1000 * scale) }
      })
      .sort((a, b) => a.from - b.from)
    const lanes = assignLanes(sorted, 2, lanesMax)
    return sorted.map((stroke, index) => ({ ...stroke, lane: lanes[index] ?? 0 }))
  }, [runs, width, window.start, window.end])
  const lanes = Math.max(4, ...strokes.map(({ lane }) => lane + 1))
  return (
    <div className="relative" aria-hidden="true">
      <svg width="100%" height={lanes * laneHeight + 6} className="block" role="presentation">
        {strokes.map(({ run, from, to, lane }) => {
          const displayState = toDisplayState(run.state_type)
          const isAhead = displayState === 'scheduled'
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: a pointer shortcut, see above
            <rect
              key={run.id}
              x={Math.max(from, -2)}
              y={lane * laneHeight + 3}
              width={Math.max(widthMin, to - Math.max(from, -2))}
              height={barHeight}
              rx={2}
              fill={isAhead ? 'none' : stateFill(displayState)}
              stroke={isAhead ? 'var(--edge)' : 'none'}
              className="cursor-pointer hover:brightness-125"
              onPointerEnter={() => setPointed({ run, x: from })}
              onPointerLeave={() => setPointed(undefined)}
              onClick={() => void navigate({ to: '/runs/flow-run/$id', params: { id: run.id } })}
            />
          )
        })}
      </svg>
      {pointed && <RunTooltip run={pointed.run} x={Math.min(Math.max(pointed.x, 0), Math.max(width - 260, 0))} />}
    </div>
  )
}

function RunTooltip({ run, x }: { readonly run: SimpleFlowRun; readonly x: number }) {
  const preferences = usePreferences()
  const { data } = useQuery(flowRunQuery(run.id))
  const place = useRef({ left: x })
  return (
    <div className="pointer-events-none absolute bottom-full z-10 w-64 rounded-md bg-surface p-2.5 shadow-pop" style={place.current}>
      <p className="truncate font-medium">{data ? data.name : '…'}</p>
      {data && (
        <p className="truncate text-soft text-sm">
          <FlowName id={data.flow_id} />
        </p>
      )}
      <p className="mt-1 flex items-center justify-between gap-2 text-sm">
        <StateBadge type={run.state_type} name={data?.state_name} />
        <span className="text-soft">
          {formatTime(toMillis(run.timestamp), 'clock', preferences)} · {formatDuration(run.duration)}
        </span>
      </p>
    </div>
  )
}
