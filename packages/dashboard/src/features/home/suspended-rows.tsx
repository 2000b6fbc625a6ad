import type { SuspendedAutomation } from '@millrace/contracts/automation.ts'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { useAutomationActions } from '../automations/use-automation-actions.ts'
import { AttentionRow } from './attention-row.tsx'

const shownRows = 4

/** Automations suspended because they fired too often, each with a Resume button. */
export function SuspendedRows({ automations }: { readonly automations: readonly SuspendedAutomation[] }) {
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
