import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A curl command that creates the same run, or reads it when it has no deployment. */
export function curlCommand(run: Pick<FlowRunResponse, 'id' | 'deployment_id' | 'parameters' | 'tags'>, apiUrl: string): string {
  if (run.deployment_id === null) return `curl ${shellQuote(`${apiUrl}/flow_runs/${run.id}`)}`
  const body = JSON.stringify({ parameters: run.parameters, tags: run.tags })
  return `curl -X POST ${shellQuote(`${apiUrl}/deployments/${run.deployment_id}/create_flow_run`)} \\\n  -H 'content-type: application/json' \\\n  -d ${shellQuote(body)}`
}
