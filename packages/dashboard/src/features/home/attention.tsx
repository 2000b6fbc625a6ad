import type { SuspendedAutomation } from '@millrace/contracts/automation.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { suspendedAutomationsQuery } from '../../api/automations.ts'
import { flowRunsQuery } from '../../api/flow-runs.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/clock.ts'
import { type DisplayState, displayStateLabel, toDisplayState } from '../../ui/display-state.ts'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateIcon } from '../../ui/state-badge.tsx'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { useAutomationActions } from '../automations/use-automation-actions.ts'
import { LateReason } from '../flow-runs/late-reason.tsx'
import { FlowName, RunLink } from '../flow-runs/run-link.tsx'
import { failingWork, lateWork } from './group-work.ts'

const shownRows = 4
const lookBackHours = 24

/** Suspended automations and late, failing and paused runs, each with its reason. */
export function Attention() {
  const since = new Date(Math.floor(useNow(60) / 600_000) * 600_000 - lookBackHours * 3_600_000).toISOString()
  const lateFilter = { state: { name: { any_: ['Late'] } } }
  const late = useQuery(flowRunsQuery({ flow_runs: lateFilter, sort: 'EXPECTED_START_TIME_ASC', limit: 200 }))
  const ended = useQuery(
    flowRunsQuery({
      flow_runs: { state: { type: { any_: ['FAILED', 'CRASHED', 'COMPLETED'] } }, end_time: { after_: since } },
      sort: 'END_TIME_DESC',
      limit: 200,
    }),
  )
  const paused = useQuery(flowRunsQuery({ flow_runs: { state: { type: { any_: ['PAUSED'] } } }, sort: 'EXPECTED_START_TIME_DESC', limit: 3 }))
  const suspended = useQuery(suspendedAutomationsQuery)
  if (late.isPending || ended.isPending || paused.isPending || suspended.isPending)
    return (
      <Panel title="Needs attention">
        <SkeletonRows rows={3} />
      </Panel>
    )
  const waitingForStart = lateWork(late.data ?? [])
  const failing = failingWork(ended.data ?? [])
  const waiting = paused.data ?? []
  const automations = suspended.data ?? []
  if (automations.length + waitingForStart.length + failing.length + waiting.length === 0) return <NothingNeedsAttention />
  return (
    <Panel title="Needs attention">
      <ul>
        <SuspendedRows automations={automations} />
        {waitingForStart.slice(0, shownRows).map(({ key, oldest, count }) => (
          <AttentionRow
            key={key}
            displayState="late"
            run={<WorkLink run={oldest} count={count} states={['Late']} />}
            aside={<Lateness run={oldest} />}
          >
            <LateReason run={oldest} />
          </AttentionRow>
        ))}
        {failing.slice(0, shownRows).map(({ key, last, failures }) => (
          <AttentionRow
            key={key}
            displayState={toDisplayState(last.state_type)}
            run={<WorkLink run={last} count={failures} states={['Failed', 'Crashed']} />}
            aside={failures === 1 ? <TimeText time={last.end_time} show="relative" /> : `${failures} in a row`}
          >
            {last.state?.message || 'No message'}
          </AttentionRow>
        ))}
        {waiting.map((run) => (
          <AttentionRow
            key={run.id}
            displayState="paused"
            run={<RunLink run={run} />}
            aside={<TimeText time={run.state?.timestamp} show="relative" />}
          >
            {run.state?.state_details.run_input_keyset ? 'Waiting for input' : 'Waiting to be resumed'}
          </AttentionRow>
        ))}
        <More count={waitingForStart.length - shownRows} state="Late" />
        <More count={failing.length - shownRows} state="Failed" />
      </ul>
    </Panel>
  )
}

/** Link to one run by its name, or to several by their flow. */
function WorkLink({ run, count, states }: { readonly run: FlowRunResponse; readonly count: number; readonly states: string[] }) {
  if (count === 1) return <RunLink run={run} />
  return (
    <Link to="/runs" search={{ flow: [run.flow_id], state: states }} className="quiet-link flex min-w-0 items-baseline gap-1.5">
      <span className="truncate text-soft">
        <FlowName id={run.flow_id} />
      </span>
      <span aria-hidden="true" className="text-faint">
        /
      </span>
      <span className="shrink-0 font-medium">{count} runs</span>
    </Link>
  )
}

function Lateness({ run }: { readonly run: FlowRunResponse }) {
  const present = useNow(10)
  if (!run.expected_start_time) return null
  return <>{formatDuration(Math.max(0, Math.round((present - toMillis(run.expected_start_time)) / 1000)))} late</>
}

function More({ count, state }: { readonly count: number; readonly state: string }) {
  if (count <= 0) return null
  return (
    <li className="px-3.5 py-1.5">
      <Link to="/runs" search={{ state: [state] }} className="link">
        {count} more {state.toLowerCase()}
      </Link>
    </li>
  )
}

function NothingNeedsAttention() {
  return (
    <p className="card flex items-center gap-2.5 px-3.5 py-2.5 text-soft">
      <StateIcon displayState="completed" />
      No late, failing or paused runs.
    </p>
  )
}

/** Automations suspended because they fired too often, each with a Resume button. */
function SuspendedRows({ automations }: { readonly automations: readonly SuspendedAutomation[] }) {
  const { resume } = useAutomationActions()
  return (
    <>
      {automations.slice(0, shownRows).map(({ automation_id: id, name, reason }) => (
        <AttentionRow
          key={id}
          displayState="paused"
          label="Suspended"
          run={
            <Link to="/automations/automation/$id" params={{ id }} className="quiet-link flex min-w-0 items-baseline gap-1.5">
              <span className="shrink-0 text-soft">Automation</span>
              <span aria-hidden="true" className="text-faint">
                /
              </span>
              <span className="truncate font-medium">{name}</span>
            </Link>
          }
          aside={
            <Button className="h-6! px-2! text-sm" aria-label={`Resume ${name}`} onClick={() => void resume({ id, name })}>
              Resume
            </Button>
          }
        >
          <span title={reason}>Suspended. {reason}</span>
        </AttentionRow>
      ))}
      {automations.length > shownRows && (
        <li className="border-b border-line px-3.5 py-1.5 last:border-b-0">
          <Link to="/automations" className="link">
            {automations.length - shownRows} more suspended
          </Link>
        </li>
      )}
    </>
  )
}

interface AttentionRowProps {
  readonly displayState: DisplayState
  /** Label of the shape, where it does not stand for a run state. */
  readonly label?: string
  readonly run: ReactNode
  readonly aside: ReactNode
  readonly children: ReactNode
}

/** Row of the attention list: item, reason and an aside. */
function AttentionRow({ displayState, label = displayStateLabel(displayState), run, aside, children }: AttentionRowProps) {
  return (
    <li className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2.5 border-b border-line px-3.5 py-1.5 last:border-b-0 md:grid-cols-[auto_minmax(0,20rem)_minmax(0,1fr)_auto] lg:grid-cols-[auto_minmax(0,26rem)_minmax(0,1fr)_auto]">
      <StateIcon displayState={displayState} label={label} />
      <div className="min-w-0">{run}</div>
      <p className="order-last col-span-2 col-start-2 truncate text-soft md:order-none md:col-span-1">{children}</p>
      <span className="justify-self-end whitespace-nowrap text-faint text-sm">{aside}</span>
    </li>
  )
}
