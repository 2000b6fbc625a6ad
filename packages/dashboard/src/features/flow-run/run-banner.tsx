import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { ReactNode } from 'react'
import { stateColour, stateLook, stateWash } from '../../ui/state-look.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { LateReason } from '../flow-runs/late-reason.tsx'

/** Why the run is where it is, in a line, where that is a question. */
export function RunBanner({ run }: { readonly run: FlowRunResponse }) {
  const look = stateLook(run.state_type, run.state_name)
  const text = bannerText(run)
  if (text === null) return null
  return (
    <p className="mb-3 whitespace-pre-wrap rounded-md border-l-3 px-3 py-2" style={{ borderColor: stateColour(look), background: stateWash(look) }}>
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
        Tries again <TimeText time={state.state_details.scheduled_time} show="relative" />
        {state.message && `: ${state.message}`}
      </>
    )
  }
  const tells = ['FAILED', 'CRASHED', 'CANCELLED', 'CANCELLING'].includes(run.state_type ?? '')
  return tells && state?.message ? state.message : null
}
