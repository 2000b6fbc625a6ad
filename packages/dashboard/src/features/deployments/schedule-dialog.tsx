import { ApiError } from '@millrace/client/errors.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule, Schedule } from '@millrace/contracts/schedule.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addSchedule, schedulePreviewQuery, updateSchedule } from '../../api/schedules.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch, TextField } from '../../ui/field.tsx'
import { getPreferences } from '../../ui/preferences.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { SchemaEditor } from '../schema-form/schema-editor.tsx'
import { browserZone } from '../schema-form/zone-select.tsx'
import { useAction } from '../use-action.ts'
import { NextRuns } from './next-runs.tsx'
import { newScheduleDraft, type ScheduleDraft, toSchedule, toScheduleDraft } from './schedule-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'

interface ScheduleDialogProps {
  readonly deployment: DeploymentResponse
  /** The object to edit. Undefined to create one. */
  readonly schedule: DeploymentSchedule | undefined
  onClose(): void
}

const previewCount = 6

/** Mounted only while open, so that its state resets. */
export function ScheduleDialog({ deployment, schedule, onClose }: ScheduleDialogProps) {
  const [draft, setDraft] = useState<ScheduleDraft>(() => (schedule ? toScheduleDraft(schedule) : newScheduleDraft(preferredZone())))
  const { busy, attempt } = useAction('deployments', 'flow-runs')
  const parsed = toSchedule(draft)
  const settled = useDebounced(JSON.stringify(parsed))
  const previewed = JSON.parse(settled) as Schedule | string
  const preview = useQuery({ ...schedulePreviewQuery(previewed as Schedule, previewCount), enabled: typeof previewed === 'object' })
  const serverError =
    typeof parsed === 'object' && preview.error instanceof ApiError ? (preview.error.validationErrors[0]?.msg ?? preview.error.message) : undefined
  const runsMax = draft.runsMax.trim() === '' ? null : Number(draft.runsMax)
  const isBadMax = runsMax !== null && !(Number.isInteger(runsMax) && runsMax > 0)
  const cannotSave = typeof parsed === 'string' || serverError !== undefined || isBadMax || isUnparsedInput(draft.parameters)

  const save = async () => {
    if (typeof parsed === 'string') return
    const body = {
      schedule: parsed,
      active: draft.active,
      max_scheduled_runs: runsMax,
      slug: draft.slug.trim() || null,
      parameters: draft.parameters as Record<string, unknown>,
    }
    const done = await attempt(async () => {
      if (schedule) await updateSchedule(deployment.id, schedule.id, body)
      else await addSchedule(deployment.id, body)
      return schedule ? 'Schedule saved' : 'Schedule added'
    })
    if (done) onClose()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={schedule ? 'Edit schedule' : 'Add schedule'}
      description={`of ${deployment.name}`}
      wide
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={cannotSave} onClick={() => void save()}>
            {schedule ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ScheduleFields draft={draft} error={typeof parsed === 'string' ? parsed : serverError} onChange={setDraft} />
        <NextRuns schedule={parsed} preview={preview} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Slug"
            hint="Identifies this schedule when you deploy again"
            value={draft.slug}
            onChange={(event) => setDraft({ ...draft, slug: event.target.value })}
          />
          <TextField
            label="Maximum scheduled runs"
            inputMode="numeric"
            error={isBadMax ? 'Enter a whole number, 1 or greater' : undefined}
            value={draft.runsMax}
            onChange={(event) => setDraft({ ...draft, runsMax: event.target.value })}
          />
        </div>
        <Switch
          label="Enabled"
          hint="When disabled, no runs are scheduled."
          checked={draft.active}
          onChange={(active) => setDraft({ ...draft, active })}
        />
        <details>
          <summary className="font-medium">Run parameters</summary>
          <p className="pt-1 pb-3 text-faint text-sm">These values override the deployment's parameters.</p>
          <SchemaEditor
            label="Parameters"
            schema={withoutRequired(deployment.parameter_openapi_schema)}
            value={draft.parameters}
            onChange={(parameters) => setDraft({ ...draft, parameters })}
          />
        </details>
      </div>
    </Dialog>
  )
}

const preferredZone = (): string => (getPreferences().zone === 'local' ? browserZone() : getPreferences().zone)

/** All parameters are optional, because the deployment has values. */
const withoutRequired = (schema: object | null): Schema | null => (schema ? { ...(schema as Schema), required: [] } : null)
