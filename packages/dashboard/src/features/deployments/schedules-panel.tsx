import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule } from '@millrace/contracts/schedule.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { deleteSchedule, schedulePreviewQuery, updateSchedule } from '../../api/schedules.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Switch } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useAction } from '../use-action.ts'
import { formatSchedule } from './format-schedule.ts'

const ScheduleDialog = lazy(() => import('./schedule-dialog.tsx').then(({ ScheduleDialog }) => ({ default: ScheduleDialog })))

/** Schedules of a deployment, with switches and actions. */
export function SchedulesPanel({ deployment }: { readonly deployment: DeploymentResponse }) {
  const [editing, setEditing] = useState<DeploymentSchedule | 'new'>()
  const [deleting, setDeleting] = useState<DeploymentSchedule>()
  const { attempt } = useAction('deployments', 'flow-runs')
  const add = (
    <Button icon="plus" onClick={() => setEditing('new')}>
      Add schedule
    </Button>
  )
  return (
    <div className="flex flex-col gap-3">
      {deployment.paused && <p className="rounded-md bg-warning-wash px-3 py-2 text-warning">The deployment is paused. No runs are scheduled.</p>}
      {deployment.schedules.length === 0 ? (
        <EmptyState title="No schedules yet" action={add}>
          The deployment runs only when you or an automation start it.
        </EmptyState>
      ) : (
        <>
          <ul aria-label="Schedules" className="card">
            {deployment.schedules.map((schedule) => (
              <ScheduleRow
                key={schedule.id}
                deployment={deployment}
                schedule={schedule}
                onEdit={() => setEditing(schedule)}
                onDelete={() => setDeleting(schedule)}
              />
            ))}
          </ul>
          <div>{add}</div>
        </>
      )}
      {editing && (
        <Suspense>
          <ScheduleDialog deployment={deployment} schedule={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
        </Suspense>
      )}
      <ConfirmDialog
        open={deleting !== undefined}
        title={`Delete schedule ${deleting ? formatSchedule(deleting.schedule) : ''}?`}
        description="Its scheduled runs that have not started are deleted too."
        confirmLabel="Delete schedule"
        onConfirm={() =>
          attempt(async () => {
            if (deleting) await deleteSchedule(deployment.id, deleting.id)
            return 'Schedule deleted'
          })
        }
        onClose={() => setDeleting(undefined)}
      />
    </div>
  )
}

interface ScheduleRowProps {
  readonly deployment: DeploymentResponse
  readonly schedule: DeploymentSchedule
  onEdit(): void
  onDelete(): void
}

function ScheduleRow({ deployment, schedule, onEdit, onDelete }: ScheduleRowProps) {
  const { busy, attempt } = useAction('deployments', 'flow-runs')
  const preview = useQuery(schedulePreviewQuery(schedule.schedule, 1))
  const text = formatSchedule(schedule.schedule)
  const turn = (active: boolean) =>
    void attempt(async () => {
      // The API clears parameters that are not sent.
      await updateSchedule(deployment.id, schedule.id, { active, parameters: schedule.parameters })
      return active ? 'Schedule enabled' : 'Schedule disabled'
    })
  const given = Object.keys(schedule.parameters)
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3.5 py-2 last:border-b-0">
      <Switch label={text} checked={schedule.active} disabled={busy} onChange={turn} />
      {schedule.slug && <code className="rounded-sm bg-sunken px-1.5 font-mono text-sm text-soft">{schedule.slug}</code>}
      {given.length > 0 && <span className="text-faint text-sm">with {given.join(', ')}</span>}
      <span className="ml-auto text-soft text-sm">
        {schedule.active && !deployment.paused && preview.data?.next[0] && (
          <>
            next <TimeText time={preview.data.next[0]} show="minute" />
          </>
        )}
      </span>
      <Menu trigger={<Button icon="more" variant="quiet" aria-label={`Actions for ${text}`} />}>
        <MenuItem icon="edit" onSelect={onEdit}>
          Edit…
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={onDelete}>
          Delete…
        </MenuItem>
      </Menu>
    </li>
  )
}
