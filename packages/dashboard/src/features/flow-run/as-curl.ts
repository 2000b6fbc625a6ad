import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command that starts the same again, or, where no deployment could, one that shows the run. */
export function runAsCurl(run: Pick<FlowRunResponse, 'id' | 'deployment_id' | 'parameters' | 'tags'>, apiUrl: string): string {
  if (run.deployment_id === null) return `curl ${quoted(`${apiUrl}/flow_runs/${run.id}`)}`
  const body = JSON.stringify({ parameters: run.parameters, tags: run.tags })
  return `curl -X POST ${quoted(`${apiUrl}/deployments/${run.deployment_id}/create_flow_run`)} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
}
