import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { poolQueuesQuery } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, Switch, TextAreaField, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { TagsField } from '../../ui/tags.tsx'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { SchemaEditor } from '../schema-form/schema-editor.tsx'
import { type DeploymentDraft, toDeploymentDraft, validateDeploymentDraft } from './deployment-draft.ts'
import { JobVariablesField } from './job-variables-field.tsx'

interface DeploymentFormProps {
  readonly deployment: DeploymentResponse
  readonly busy: boolean
  readonly submitLabel: string
  /** Fields above the form that only a new deployment has. */
  readonly children?: ReactNode
  onSave(draft: DeploymentDraft): void
  onCancel(): void
}

export function DeploymentForm({ deployment, busy, submitLabel, children, onSave, onCancel }: DeploymentFormProps) {
  const [draft, setDraft] = useState<DeploymentDraft>(() => toDeploymentDraft(deployment))
  const set = (change: Partial<DeploymentDraft>) => setDraft((known) => ({ ...known, ...change }))
  const errors = validateDeploymentDraft(draft)
  const isBad = Object.keys(errors).length > 0 || isUnparsedInput(draft.parameters) || isUnparsedInput(draft.jobVariables)
  return (
    <form
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBad) onSave(draft)
      }}
    >
      <div className="flex flex-col gap-4">
        <Panel title="General">
          <div className="flex flex-col gap-4 p-4">
            {children}
            <TextAreaField
              label="Description"
              hint="Markdown"
              rows={6}
              value={draft.description}
              onChange={(event) => set({ description: event.target.value })}
            />
            <TagsField label="Tags" tags={draft.tags} onChange={(tags) => set({ tags })} />
          </div>
        </Panel>
        <Panel title="Infrastructure">
          <div className="flex flex-col gap-4 p-4">
            <PoolFields draft={draft} onChange={set} />
          </div>
        </Panel>
        <Panel title="Concurrency">
          <div className="flex flex-col gap-4 p-4">
            <TextField
              label="Concurrency limit"
              hint="Leave empty for no limit"
              inputMode="numeric"
              error={errors.limit}
              value={draft.limit}
              onChange={(event) => set({ limit: event.target.value })}
            />
            {draft.limit.trim() !== '' && (
              <>
                <SelectField
                  label="At the limit"
                  options={[
                    { value: 'ENQUEUE', label: 'New runs wait' },
                    { value: 'CANCEL_NEW', label: 'New runs are cancelled' },
                  ]}
                  value={draft.strategy}
                  onChange={(event) => set({ strategy: event.target.value as DeploymentDraft['strategy'] })}
                />
                <TextField
                  label="Grace period, in seconds"
                  hint="How long a run may take to start before its slot is released"
                  inputMode="numeric"
                  error={errors.grace}
                  value={draft.grace}
                  onChange={(event) => set({ grace: event.target.value })}
                />
              </>
            )}
          </div>
        </Panel>
      </div>
      <div className="flex flex-col gap-4">
        <Panel title="Parameters">
          <div className="flex flex-col gap-4 p-4">
            <SchemaEditor
              label="Parameters"
              schema={withoutRequired(deployment.parameter_openapi_schema)}
              value={draft.parameters}
              onChange={(parameters) => set({ parameters })}
            />
            <Switch
              label="Validate parameters"
              hint="Rejects runs whose parameters do not match the flow's schema."
              checked={draft.enforce}
              onChange={(enforce) => set({ enforce })}
            />
          </div>
        </Panel>
        <Panel title="Job variables">
          <div className="p-4">
            <JobVariablesField
              key={draft.pool}
              pool={draft.pool || null}
              value={draft.jobVariables}
              onChange={(jobVariables) => set({ jobVariables })}
            />
          </div>
        </Panel>
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" type="submit" busy={busy} disabled={isBad}>
            {submitLabel}
          </Button>
        </div>
      </div>
    </form>
  )
}

function PoolFields({ draft, onChange }: { readonly draft: DeploymentDraft; onChange(change: Partial<DeploymentDraft>): void }) {
  const pools = useQuery(workPoolsQuery())
  const queues = useQuery({ ...poolQueuesQuery(draft.pool), enabled: draft.pool !== '' })
  const known = (names: readonly string[], own: string) =>
    [...new Set([...(own ? [own] : []), ...names])].map((name) => ({ value: name, label: name }))
  return (
    <>
      <SelectField
        label="Work pool"
        options={[{ value: '', label: 'None (served by its own process)' }, ...known(pools.data?.map(({ name }) => name) ?? [], draft.pool)]}
        value={draft.pool}
        onChange={(event) => onChange({ pool: event.target.value, queue: event.target.value === '' ? '' : 'default' })}
      />
      {draft.pool !== '' && (
        <SelectField
          label="Queue"
          options={known(queues.data?.map(({ name }) => name) ?? [], draft.queue)}
          value={draft.queue}
          onChange={(event) => onChange({ queue: event.target.value })}
        />
      )}
    </>
  )
}

/** A deployment may omit parameters that its runs require. */
const withoutRequired = (schema: object | null): Schema | null => (schema ? { ...(schema as Schema), required: [] } : null)
