import { lazy, Suspense, useState } from 'react'
import { Field, Switch } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { ActionDraft } from './action-kinds.ts'
import { DurationField } from './duration-field.tsx'
import { useDeployment } from './use-resource-options.ts'

const SchemaForm = lazy(() => import('../schema-form/schema-form.tsx').then(({ SchemaForm }) => ({ default: SchemaForm })))

type RunDeployment = Extract<ActionDraft, { type?: 'run-deployment' }>
type Values = Record<string, unknown>

interface RunDeploymentFieldsProps {
  readonly action: RunDeployment
  errorAt(field: string): string | undefined
  onChange(change: Partial<RunDeployment>): void
}

/** Parameters, job variables and delay. They are edited as JSON, because values may be templates, which typed form fields would reject. */
export function RunDeploymentFields({ action, errorAt, onChange }: RunDeploymentFieldsProps) {
  const deployment = useDeployment(action.deployment_id)
  const schema = deployment?.parameter_openapi_schema ?? undefined
  const hasFields = Object.keys((schema?.properties as object | undefined) ?? {}).length > 0
  const [asJson, setAsJson] = useState(false)
  const hasParameters = action.parameters !== null && action.parameters !== undefined
  return (
    <>
      <Switch
        label="Override parameters"
        hint="Without overrides, the deployment's parameters are used."
        checked={hasParameters}
        onChange={(given) => onChange({ parameters: given ? {} : null })}
      />
      {hasParameters && hasFields && schema && (
        <>
          <Switch
            label="Parameters as JSON"
            hint="Supports templates such as {{ flow_run.parameters['day'] }}."
            checked={asJson}
            onChange={setAsJson}
          />
          {!asJson && (
            <Suspense fallback={<Skeleton className="h-20" />}>
              <SchemaForm
                schema={schema}
                value={action.parameters as Values}
                onChange={(parameters) => onChange({ parameters: parameters as Values })}
              />
            </Suspense>
          )}
        </>
      )}
      {hasParameters && (asJson || !hasFields) && (
        <JsonObjectField
          label="Parameters"
          value={action.parameters as Values}
          error={errorAt('parameters')}
          onChange={(parameters) => onChange({ parameters })}
        />
      )}
      <JsonObjectField
        label="Job variables"
        hint="Override job variables for this run only."
        value={(action.job_variables ?? {}) as Values}
        error={errorAt('job_variables')}
        onChange={(variables) => onChange({ job_variables: Object.keys(variables).length > 0 ? variables : null })}
      />
      <DurationField
        label="Delay"
        hint="0 starts the run immediately."
        seconds={action.schedule_after ?? 0}
        error={errorAt('schedule_after')}
        onChange={(schedule_after) => onChange({ schedule_after })}
      />
    </>
  )
}

interface JsonObjectFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: Values
  readonly error: string | undefined
  onChange(value: Values): void
}

function JsonObjectField({ label, hint, value, error, onChange }: JsonObjectFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [parseError, setParseError] = useState<string>()
  const write = (next: string) => {
    setText(next)
    try {
      const read: unknown = JSON.parse(next.trim() || '{}')
      if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('Must be a JSON object')
      setParseError(undefined)
      onChange(read as Values)
    } catch {
      setParseError('Must be a JSON object')
    }
  }
  return (
    <Field label={label} hint={hint} error={parseError ?? error}>
      {(control) => (
        <textarea
          {...control}
          rows={Math.min(10, text.split('\n').length + 1)}
          spellCheck={false}
          value={text}
          onChange={(event) => write(event.target.value)}
          className="field w-full font-mono text-sm"
        />
      )}
    </Field>
  )
}
