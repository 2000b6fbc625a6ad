import type { WorkPoolCreate } from '@millrace/contracts/work-pool.ts'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import { JsonField } from '../schema-form/json-field.tsx'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { templateDefaults, templateVariables, withTemplateDefaults } from './template-defaults.ts'

export type PoolSettings = Required<Pick<WorkPoolCreate, 'description' | 'concurrency_limit' | 'base_job_template'>>

interface PoolFormProps {
  readonly initialSettings: PoolSettings
  readonly busy: boolean
  readonly submitLabel: string
  /** Fields above the form that only a new pool has. */
  readonly children?: ReactNode
  onSave(settings: PoolSettings): void
  onCancel(): void
}

/** Remounted when the template changes. */
export function PoolForm({ initialSettings: start, busy, submitLabel, children, onSave, onCancel }: PoolFormProps) {
  const [description, setDescription] = useState(start.description ?? '')
  const [limit, setLimit] = useState(start.concurrency_limit === null ? '' : String(start.concurrency_limit))
  const [template, setTemplate] = useState<unknown>(start.base_job_template)
  const [mode, setMode] = useState<'form' | 'json'>('form')
  const isBadLimit = limit.trim() !== '' && !/^\d+$/.test(limit.trim())
  const isObject = typeof template === 'object' && template !== null && !Array.isArray(template) && !isUnparsedInput(template)
  const variables = isObject ? templateVariables(template as Record<string, unknown>) : null
  const save = () => {
    if (isBadLimit || !isObject) return
    onSave({
      description: description || null,
      concurrency_limit: limit.trim() === '' ? null : Number(limit),
      base_job_template: template as Record<string, unknown>,
    })
  }
  return (
    <form
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Panel title="General">
        <div className="flex flex-col gap-4 p-4">
          {children}
          <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
          <TextField
            label="Concurrency limit"
            hint="Maximum number of concurrent runs. Leave empty for no limit"
            inputMode="numeric"
            error={isBadLimit ? 'Enter a whole number, 0 or greater, or leave empty' : undefined}
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        </div>
      </Panel>
      <Panel
        title="Job template"
        aside={
          <SegmentedControl<'form' | 'json'>
            label="Job template as"
            value={mode}
            options={[
              { value: 'form', label: 'Values' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={setMode}
          />
        }
      >
        <div className="p-4">
          {mode === 'json' ? (
            <JsonField
              label="Base job template"
              hint="Variables and the job configuration built from them"
              required={false}
              error={isObject ? undefined : 'Must be an object'}
              rows={16}
              value={template}
              onChange={(next) => setTemplate(next ?? {})}
            />
          ) : variables ? (
            <>
              <p className="pb-4 text-faint text-sm">Defaults for every run. Deployments can override them.</p>
              <SchemaForm
                schema={{ ...variables, required: [] }}
                value={templateDefaults(template as Record<string, unknown>)}
                onChange={(values) => setTemplate(withTemplateDefaults(template as Record<string, unknown>, values))}
              />
            </>
          ) : (
            <p className="text-soft">{isObject ? 'The template has no variables.' : 'Invalid JSON.'}</p>
          )}
        </div>
      </Panel>
      <div className="flex justify-end gap-2 lg:col-span-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" type="submit" busy={busy} disabled={isBadLimit || !isObject}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}
