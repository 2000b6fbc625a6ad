import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { flowRunCountQuery, flowRunsQuery } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { lookWord, type StateLook, stateLook } from '../../ui/state-look.ts'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { LateReason } from '../flow-runs/late-reason.tsx'
import { FlowName, RunLink } from '../flow-runs/run-link.tsx'
import { failingWork } from './failing-work.ts'

const shownLate = 4
const shownFailing = 4
const lookBackHours = 24

/** What needs a person: late, failing and waiting work, each with one line on why. */
export function Attention() {
  const since = new Date(Math.floor(useNow(60) / 600_000) * 600_000 - lookBackHours * 3_600_000).toISOString()
  const lateFilter = { state: { name: { any_: ['Late'] } } }
  const late = useQuery(flowRunsQuery({ flow_runs: lateFilter, sort: 'EXPECTED_START_TIME_ASC', limit: shownLate }))
  const lateCount = useQuery(flowRunCountQuery({ flow_runs: lateFilter }))
  const ended = useQuery(
    flowRunsQuery({
      flow_runs: { state: { type: { any_: ['FAILED', 'CRASHED', 'COMPLETED'] } }, end_time: { after_: since } },
      sort: 'END_TIME_DESC',
      limit: 200,
    }),
  )
  const paused = useQuery(flowRunsQuery({ flow_runs: { state: { type: { any_: ['PAUSED'] } } }, sort: 'EXPECTED_START_TIME_DESC', limit: 3 }))
  const failing = failingWork(ended.data ?? [])
  if (late.isPending || ended.isPending || paused.isPending) return null
  const lateRuns = late.data ?? []
  const waiting = paused.data ?? []
  if (lateRuns.length + failing.length + waiting.length === 0) return <AllWell />
  const hiddenLate = (lateCount.data ?? 0) - lateRuns.length
  return (
    <section aria-label="Needs attention" className="card overflow-hidden">
      <h2 className="sr-only">Needs attention</h2>
      <ul>
        {lateRuns.map((run) => (
          <Row key={run.id} look="late" run={<RunLink run={run} />} aside={<Lateness run={run} />}>
            <LateReason run={run} />
          </Row>
        ))}
        {hiddenLate > 0 && (
          <More to="Late" look="late">
            {hiddenLate} more late
          </More>
        )}
        {failing.slice(0, shownFailing).map(({ key, last, failures }) => (
          <Row
            key={key}
            look={stateLook(last.state_type)}
            run={
              failures === 1 ? (
                <RunLink run={last} />
              ) : (
                <Link to="/runs" search={{ flow: [last.flow_id], state: ['Failed', 'Crashed'] }} className="quiet-link truncate font-medium">
                  <FlowName id={last.flow_id} />
                </Link>
              )
            }
            aside={failures === 1 ? 'failed last' : `${failures} in a row`}
          >
            {last.state?.message || 'It left no message'}
          </Row>
        ))}
        {failing.length > shownFailing && (
          <More to="Failed" look="failed">
            {failing.length - shownFailing} more failing
          </More>
        )}
        {waiting.map((run) => (
          <Row key={run.id} look="paused" run={<RunLink run={run} />} aside="paused">
            {run.state?.state_details.run_input_keyset ? 'It waits for somebody to give it input' : 'It waits for somebody to resume it'}
          </Row>
        ))}
      </ul>
    </section>
  )
}

function Lateness({ run }: { readonly run: FlowRunResponse }) {
  const present = useNow(10)
  if (!run.expected_start_time) return null
  return <>{formatDuration(Math.max(0, Math.round((present - toMillis(run.expected_start_time)) / 1000)))} late</>
}

interface RowProps {
  readonly look: StateLook
  readonly run: ReactNode
  readonly aside: ReactNode
  readonly children: ReactNode
}

function Row({ look, run, aside, children }: RowProps) {
  return (
    <li className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2.5 border-b border-line px-3.5 py-1.5 last:border-b-0 md:grid-cols-[auto_minmax(0,20rem)_minmax(0,1fr)_auto] lg:grid-cols-[auto_minmax(0,26rem)_minmax(0,1fr)_auto]">
      <StateShape look={look} label={lookWord(look)} />
      <div className="min-w-0">{run}</div>
      <p className="order-last col-span-2 col-start-2 truncate text-soft md:order-none md:col-span-1">{children}</p>
      <span className="justify-self-end whitespace-nowrap text-faint text-sm">{aside}</span>
    </li>
  )
}

function More({ to, look, children }: { readonly to: string; readonly look: StateLook; readonly children: ReactNode }) {
  return (
    <li className="border-b border-line px-3.5 py-1.5 last:border-b-0">
      <Link to="/runs" search={{ state: [to] }} className="link flex items-center gap-2.5">
        <StateShape look={look} />
        {children}
      </Link>
    </li>
  )
}

function AllWell() {
  return (
    <p className="card flex items-center gap-2.5 px-3.5 py-2.5 text-soft">
      <StateShape look="completed" />
      Nothing is late, nothing is failing, nobody is waited for.
    </p>
  )
}
