import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { ReactNode } from 'react'
import { stateColour, stateWash, toDisplayState } from '../../ui/display-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { LateReason } from '../flow-runs/late-reason.tsx'

/** Explains a late, retrying, failed or cancelled run in one line. */
export function RunBanner({ run }: { readonly run: FlowRunResponse }) {
  const displayState = toDisplayState(run.state_type, run.state_name)
  const text = bannerText(run)
  if (text === null) return null
  return (
    <p
      className="mb-3 whitespace-pre-wrap rounded-md border-l-3 px-3 py-2"
      style={{ borderColor: stateColour(displayState), background: stateWash(displayState) }}
    >
      {text}
    </p>
  )
}

function bannerText(run: FlowRunResponse): ReactNode {
  const { state } = run
  if (run.state_name === 'Late') return <LateReason run={run} />
  if (state?.name === 'AwaitingRetry') {
    return (
      <>
        Retries <TimeText time={state.state_details.scheduled_time} show="relative" />
        {state.message && `: ${state.message}`}
      </>
    )
  }
  const hasReason = ['FAILED', 'CRASHED', 'CANCELLED', 'CANCELLING'].includes(run.state_type ?? '')
  return hasReason && state?.message ? state.message : null
}
