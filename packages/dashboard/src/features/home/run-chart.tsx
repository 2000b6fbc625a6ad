import { useQuery } from '@tanstack/react-query'
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flowRunHistoryQuery, flowRunPointsQuery } from '../../api/flow-runs.ts'
import { now, useNow } from '../../ui/clock.ts'
import { Panel } from '../../ui/page.tsx'
import { setPreferences, usePreferences } from '../../ui/preferences.ts'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { countByDisplayState } from './count-by-state.ts'
import { RunHistogram } from './run-histogram.tsx'
import { RunLanes } from './run-lanes.tsx'
import { StateCounts } from './state-counts.tsx'
import { TimeGrid } from './time-grid.tsx'
import { resolveTimeWindow, timeSpans } from './time-window.ts'

/** Runs of the selected time range and the near future: counts by state, and below each run as a bar of its duration. */
export function RunChart() {
  const { span_hours } = usePreferences()
  const [frame, width] = useWidth<HTMLDivElement>()
  const window = resolveTimeWindow(span_hours, useNow(30))
  const { start, end, bucketSeconds } = window
  const between = useMemo(() => ({ after_: new Date(start).toISOString(), before_: new Date(end).toISOString() }), [start, end])
  const history = useQuery(
    flowRunHistoryQuery({ history_start: between.after_, history_end: between.before_, history_interval_seconds: bucketSeconds }),
  )
  const points = useQuery(flowRunPointsQuery({ flow_runs: { expected_start_time: between }, sort: 'EXPECTED_START_TIME_DESC', limit: 1000 }))
  return (
    <Panel
      title="Runs"
      aside={
        <SegmentedControl
          label="Time range"
          value={String(span_hours)}
          options={timeSpans.map(({ hours, label }) => ({ value: String(hours), label }))}
          onChange={(hours) => setPreferences({ span_hours: Number(hours) })}
        />
      }
    >
      <div className="px-3.5 pt-3 pb-2">
        <StateCounts counts={history.data && countByDisplayState(history.data)} since={between.after_} />
        <div ref={frame} className="relative mt-4 flex flex-col gap-1.5 pb-5">
          <TimeGrid window={window} width={width} present={now()} />
          <QueryView query={history} skeleton={<Skeleton className="h-24 w-full" />} compact>
            {(buckets) => <RunHistogram buckets={buckets} window={window} />}
          </QueryView>
          <QueryView query={points} skeleton={<Skeleton className="h-8 w-full" />} compact>
            {(runs) => <RunLanes runs={runs} window={window} width={width} />}
          </QueryView>
        </div>
      </div>
    </Panel>
  )
}

/** Width of an element, updated on resize. */
function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observed = element.current
    if (!observed) return
    setWidth(observed.clientWidth)
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth))
    observer.observe(observed)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
