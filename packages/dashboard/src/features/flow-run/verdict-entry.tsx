import type { SetStateStatus, Verdict } from '@millrace/contracts/state.ts'
import { displayStateLabel, toDisplayState } from '../../ui/display-state.ts'
import { Icon } from '../../ui/icon.tsx'
import { TimeText } from '../../ui/time-text.tsx'

const statusLabels: Record<SetStateStatus, string> = {
  ACCEPT: 'Accepted',
  REJECT: 'Rejected',
  WAIT: 'Delayed',
  ABORT: 'Aborted',
}

/** A proposed state that a rule rejected, delayed or changed, with the rule's reason and inputs. */
export function VerdictEntry({ verdict }: { readonly verdict: Verdict }) {
  const facts = Object.entries(verdict.facts ?? {})
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="inline-flex items-center gap-1.5 font-medium text-soft">
          <Icon name={verdict.status === 'WAIT' ? 'clock' : verdict.status === 'ACCEPT' ? 'check' : 'cross'} size={14} />
          {statusLabels[verdict.status]}
        </span>
        <span className="text-soft">
          {verdict.from_type ? `${displayStateLabel(toDisplayState(verdict.from_type))} → ` : ''}
          {displayStateLabel(toDisplayState(verdict.to_type))}
        </span>
        <TimeText time={verdict.at} show="milli" className="text-soft" />
        {verdict.rule && (
          <code className="rounded-sm bg-sunken px-1.5 font-mono text-soft text-sm" title="Deciding rule">
            {verdict.rule}
          </code>
        )}
      </div>
      {verdict.reason && <p className="mt-1 whitespace-pre-wrap">{verdict.reason}</p>}
      {facts.length > 0 && (
        <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="flex gap-1.5">
              <dt className="text-faint">{name.replaceAll('_', ' ')}</dt>
              <dd className="font-mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
