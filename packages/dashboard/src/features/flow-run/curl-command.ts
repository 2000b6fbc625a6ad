import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command that starts the same again, or, where no deployment could, one that shows the run. */
export function curlCommand(run: Pick<FlowRunResponse, 'id' | 'deployment_id' | 'parameters' | 'tags'>, apiUrl: string): string {
  if (run.deployment_id === null) return `curl ${shellQuote(`${apiUrl}/flow_runs/${run.id}`)}`
  const body = JSON.stringify({ parameters: run.parameters, tags: run.tags })
  return `curl -X POST ${shellQuote(`${apiUrl}/deployments/${run.deployment_id}/create_flow_run`)} \\\n  -H 'content-type: application/json' \\\n  -d ${shellQuote(body)}`
}
