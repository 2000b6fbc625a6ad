import { ApiError } from '@millrace/client/errors.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deploymentQuery, runDeployment } from '../../api/deployments.ts'
import { poolQueuesQuery } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TagsField } from '../../ui/tags.tsx'
import { QueryView } from '../query-view.tsx'
import { DateTimeField } from '../schema-form/date-time-field.tsx'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { SchemaEditor } from '../schema-form/schema-editor.tsx'
import { errorsUnder } from '../schema-form/server-errors.ts'
import { useAction } from '../use-action.ts'
import { type CustomRun, initialCustomRun, toRunBody } from './custom-run.ts'
import { JobVariablesField } from './job-variables-field.tsx'
import { useValidatedValues } from './use-validated-values.ts'

/** A form for a run with other parameters, start time or queue. */
export function CustomRunPage({ id }: { readonly id: string }) {
  const deployment = useQuery(deploymentQuery(id))
  return (
    <Page
      title="Custom run"
      crumbs={[
        { label: 'Deployments', to: '/deployments' },
        { label: deployment.data?.name ?? '…', to: `/deployments/deployment/${id}` },
      ]}
    >
      <QueryView query={deployment}>
        {(found) => (found === null ? <EmptyState title="Deployment not found" /> : <CustomRunForm deployment={found} />)}
      </QueryView>
    </Page>
  )
}

function CustomRunForm({ deployment }: { readonly deployment: DeploymentResponse }) {
  const navigate = useNavigate()
  const { busy, attempt } = useAction('flow-runs')
  const [run, setRun] = useState<CustomRun>(() => initialCustomRun(deployment))
  const [isLater, setLater] = useState(false)
  const schema = deployment.parameter_openapi_schema as Schema | null
  const parameters = useValidatedValues(deployment.enforce_parameter_schema ? schema : null, run.parameters)
  const needsTime = isLater && run.at === undefined
  const set = (change: Partial<CustomRun>) => setRun({ ...run, ...change })

  const submit = () =>
    attempt(async () => {
      if (!(await parameters.check()) || needsTime || isUnparsedInput(run.jobVariables)) return undefined
      try {
        const made = await runDeployment(deployment.id, toRunBody(isLater ? run : { ...run, at: undefined }))
        await navigate({ to: '/runs/flow-run/$id', params: { id: made.id } })
        return `${made.name} is scheduled`
      } catch (error) {
        const errors = error instanceof ApiError ? errorsUnder(error.validationErrors, 'parameters') : {}
        if (Object.keys(errors).length === 0) throw error
        parameters.setServerErrors(errors)
        return undefined
      }
    })

  return (
    <form
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Panel title="Parameters">
        <div className="p-4">
          <SchemaEditor
            label="Parameters"
            schema={schema}
            value={run.parameters}
            errors={parameters.errors}
            onChange={(next) => set({ parameters: next })}
          />
        </div>
      </Panel>
      <div className="flex flex-col gap-4">
        <Panel title="Run">
          <div className="flex flex-col gap-4 p-4">
            <div className="flex flex-col gap-2">
              <span className="font-medium">Start</span>
              <div>
                <SegmentedControl
                  label="Start"
                  value={isLater ? 'later' : 'now'}
                  options={[
                    { value: 'now', label: 'Now' },
                    { value: 'later', label: 'Later' },
                  ]}
                  onChange={(when) => setLater(when === 'later')}
                />
              </div>
              {isLater && (
                <DateTimeField
                  label="Start at"
                  hint={undefined}
                  required
                  error={needsTime ? 'Enter a start time' : undefined}
                  value={run.at}
                  onChange={(at) => set({ at: at as string | undefined })}
                />
              )}
            </div>
            <TextField label="Name" placeholder="Generated" value={run.name} onChange={(event) => set({ name: event.target.value })} />
            <TagsField
              label="Tags"
              {...(deployment.tags.length > 0 && { hint: `Added to the deployment's tags: ${deployment.tags.join(', ')}` })}
              tags={run.tags}
              onChange={(tags) => set({ tags })}
            />
            <QueueField deployment={deployment} value={run.queue} onChange={(queue) => set({ queue })} />
            <TextField
              label="Message"
              hint="Message of the first state"
              value={run.message}
              onChange={(event) => set({ message: event.target.value })}
            />
          </div>
        </Panel>
        <Panel title="Job variables">
          <div className="p-4">
            <JobVariablesField pool={deployment.work_pool_name} value={run.jobVariables} onChange={(jobVariables) => set({ jobVariables })} />
          </div>
        </Panel>
        <div className="flex justify-end gap-2">
          <Button onClick={() => void navigate({ to: '/deployments/deployment/$id', params: { id: deployment.id } })}>Cancel</Button>
          <Button variant="primary" icon="play" type="submit" busy={busy}>
            Run
          </Button>
        </div>
        {Object.keys(parameters.errors).length > 0 && (
          <p role="status" className="text-right text-danger">
            Fix the parameter errors first.
          </p>
        )}
      </div>
    </form>
  )
}

interface QueueFieldProps {
  readonly deployment: DeploymentResponse
  readonly value: string
  onChange(queue: string): void
}

function QueueField({ deployment, value, onChange }: QueueFieldProps) {
  const pool = deployment.work_pool_name
  const queues = useQuery({ ...poolQueuesQuery(pool ?? ''), enabled: pool !== null })
  if (pool === null) return null
  return (
    <SelectField
      label="Queue"
      options={[
        { value: '', label: `${deployment.work_queue_name ?? 'default'} (deployment default)` },
        ...(queues.data ?? []).filter(({ name }) => name !== deployment.work_queue_name).map(({ name }) => ({ value: name, label: name })),
      ]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
