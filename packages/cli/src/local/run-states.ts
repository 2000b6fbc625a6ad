import type { MillraceClient } from '@millrace/client/client.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { type Styler, stateStyles } from '../output/style.ts'
import { toSingleLine } from '../output/text-width.ts'

const leadMs = 100

/** The events of new states of flow runs and task runs, as they occur. Ends when the signal is aborted. */
export async function* followRunStates(client: MillraceClient, signal: AbortSignal): AsyncGenerator<ReceivedEvent> {
  // The server is ready before the subscription is.
  const since = new Date(Date.now() - leadMs).toISOString()
  const filter = { event: { prefix: ['prefect.flow-run.', 'prefect.task-run.'] }, occurred: { since } }
  try {
    for await (const event of client.events.subscribe(filter, { signal })) if (event.resource['prefect.state-type']) yield event
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** `12:00:01  flow run  etl/brave-cat  Running` */
export function formatRunState({ event, occurred, resource, related }: ReceivedEvent, style: Styler): string {
  const isFlowRun = event.startsWith('prefect.flow-run.')
  const flow = related.find((each) => each['prefect.resource.role'] === 'flow')?.['prefect.resource.name']
  const name = resource['prefect.resource.name'] ?? ''
  const message = resource['prefect.state-message']
  const state = style(stateStyles[resource['prefect.state-type'] ?? ''] ?? 'reset', toSingleLine(resource['prefect.state-name'] ?? event))
  const shown = toSingleLine(isFlowRun && flow ? `${flow}/${name}` : name)
  const time = style('gray', new Date(occurred).toTimeString().slice(0, 8))
  return `${time}  ${isFlowRun ? 'flow run' : 'task run'}  ${shown}  ${state}${message ? `  ${style('gray', toSingleLine(message).slice(0, 200))}` : ''}`
}
