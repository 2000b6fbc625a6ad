import { Button } from '../../ui/button.tsx'
import { Field, Switch, TextAreaField, TextField } from '../../ui/field.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { ZoneSelect } from '../schema-form/zone-select.tsx'
import type { ScheduleDraft } from './schedule-draft.ts'

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft
  /** Validation error of the form or the server. */
  readonly error: string | undefined
  onChange(draft: ScheduleDraft): void
}

const kinds = [
  { value: 'cron', label: 'Cron' },
  { value: 'interval', label: 'Interval' },
  { value: 'rrule', label: 'RRULE' },
] as const

const cronChoices = [
  { cron: '0 * * * *', label: 'Every hour' },
  { cron: '0 9 * * *', label: 'Every day at 9' },
  { cron: '0 9 * * 1-5', label: 'Weekdays at 9' },
  { cron: '0 9 1 * *', label: 'First of the month' },
]

/** Schedule type and the fields of that type. */
export function ScheduleFields({ draft, error, onChange }: ScheduleFieldsProps) {
  const set = (change: Partial<ScheduleDraft>) => onChange({ ...draft, ...change })
  const daysClash = /^\S+ \S+ (?!\*)\S+ \S+ (?!\*)\S+/.test(draft.cron.trim())
  return (
    <>
      <div>
        <SegmentedControl label="Schedule type" value={draft.kind} options={kinds} onChange={(kind) => set({ kind })} />
      </div>
      {draft.kind === 'cron' && (
        <>
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of the month, month, day of the week"
            error={error}
            spellCheck={false}
            className="font-mono"
            value={draft.cron}
            onChange={(event) => set({ cron: event.target.value })}
          />
          <div className="-mt-2 flex flex-wrap gap-1">
            {cronChoices.map(({ cron, label }) => (
              <Button key={cron} variant="quiet" className="h-7 px-2 text-sm" onClick={() => set({ cron })}>
                {label}
              </Button>
            ))}
          </div>
          {daysClash && (
            <Switch
              label="Match either day field"
              hint="The expression sets both day of month and day of week. On: run when either matches. Off: run when both match."
              checked={draft.dayOr}
              onChange={(dayOr) => set({ dayOr })}
            />
          )}
        </>
      )}
      {draft.kind === 'interval' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Every"
            hint="Such as 90 m, 1 h 30 m or 1 d"
            error={error}
            value={draft.every}
            onChange={(event) => set({ every: event.target.value })}
          />
          <TextField
            label="Anchor date"
            hint="Leave empty to start now"
            type="datetime-local"
            step={1}
            value={draft.anchor}
            onChange={(event) => set({ anchor: event.target.value })}
          />
        </div>
      )}
      {draft.kind === 'rrule' && (
        <TextAreaField
          label="Rule"
          hint="RFC 5545, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"
          error={error}
          spellCheck={false}
          className="font-mono text-sm"
          rows={3}
          value={draft.rrule}
          onChange={(event) => set({ rrule: event.target.value })}
        />
      )}
      <Field label="Time zone">
        {(control) => <ZoneSelect {...control} value={draft.zone} onChange={(zone) => set({ zone })} className="w-full" />}
      </Field>
    </>
  )
}
