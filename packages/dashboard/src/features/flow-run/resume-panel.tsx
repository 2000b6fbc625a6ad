import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { flowRunInputQuery, resumeFlowRun } from '../../api/flow-runs.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { showToast } from '../../ui/toast.tsx'
import { QueryView } from '../query-view.tsx'
import type { Schema } from '../schema-form/json-schema.ts'
import { defaultValues, resolveSchema } from '../schema-form/resolve-schema.ts'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { validateValue } from '../schema-form/validate-value.ts'

/** Resumes a paused run, with a form when the run asks for input. */
export function ResumePanel({ run }: { readonly run: FlowRunResponse }) {
  const details = run.state?.state_details
  const key = details?.run_input_keyset?.schema
  return (
    <Panel
      title={key ? 'Waiting for input' : 'Run paused'}
      className="mb-4"
      aside={
        details?.pause_timeout && (
          <span className="text-faint text-sm">
            times out <TimeText time={details.pause_timeout} show="relative" />
          </span>
        )
      }
    >
      <div className="max-w-xl p-4">
        {run.state?.message && !details?.run_input_keyset?.description && <p className="mb-4 text-soft">{run.state.message}</p>}
        {key ? <RequestedInput run={run} schemaKey={key} /> : <ResumeForm run={run} schema={undefined} />}
      </div>
    </Panel>
  )
}

function RequestedInput({ run, schemaKey }: { readonly run: FlowRunResponse; readonly schemaKey: string }) {
  const schema = useQuery(flowRunInputQuery(run.id, schemaKey))
  const description = run.state?.state_details.run_input_keyset?.description
  return (
    <>
      {description && <Description run={run} inputKey={description} />}
      <QueryView query={schema} skeleton={<Skeleton className="h-24 w-full" />} compact>
        {(found) => <ResumeForm run={run} schema={JSON.parse(found) as Schema} />}
      </QueryView>
    </>
  )
}

function Description({ run, inputKey }: { readonly run: FlowRunResponse; readonly inputKey: string }) {
  const { data } = useQuery(flowRunInputQuery(run.id, inputKey))
  return data ? <p className="mb-4 whitespace-pre-wrap text-soft">{toPlainText(data)}</p> : null
}

/** Clients store the description as JSON, people as plain text. */
const toPlainText = (input: string): string => {
  try {
    return String(JSON.parse(input))
  } catch {
    return input
  }
}

function ResumeForm({ run, schema }: { readonly run: FlowRunResponse; readonly schema: Schema | undefined }) {
  const queryClient = useQueryClient()
  const resolved = schema && resolveSchema(schema, schema)
  const [value, setValue] = useState<Readonly<Record<string, unknown>>>(() => (resolved && schema ? defaultValues(resolved, schema) : {}))
  const [submitted, setSubmitted] = useState(false)
  const [busy, setBusy] = useState(false)
  const errors = resolved && schema ? validateValue(resolved, schema, value) : {}

  const resume = async () => {
    setSubmitted(true)
    if (Object.keys(errors).length > 0) return
    setBusy(true)
    try {
      const { status, details } = await resumeFlowRun(run.id, schema ? { ...value } : undefined)
      if (status === 'ACCEPT') showToast(`${run.name} resumed`)
      else showToast('Run not resumed', { tone: 'bad', detail: ('reason' in details && details.reason) || status })
      await queryClient.invalidateQueries({ queryKey: ['flow-runs'] })
    } catch (error) {
      const { title, detail } = describeError(error)
      showToast(title, { tone: 'bad', detail: detail ?? '' })
    }
    setBusy(false)
  }

  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void resume()
      }}
    >
      {schema && <SchemaForm schema={schema} value={value} onChange={setValue} errors={submitted ? errors : {}} />}
      <div>
        <Button type="submit" variant="primary" icon="play" busy={busy}>
          Resume
        </Button>
      </div>
    </form>
  )
}
