import type { MillraceClient } from '@millrace/client/client.ts'
import { ConnectionError } from '@millrace/client/errors.ts'
import { sleep } from '@millrace/client/retry.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { type Styler, stateStyles } from '../output/style.ts'
import { toSingleLine } from '../output/text-width.ts'

const pollSeconds = 1
/** Events can arrive a little later than they occurred. */
const overlapMs = 5000
const seenMax = 10_000

/** The events of new states of flow runs and task runs, as they occur. Ends when the signal is aborted. */
export async function* followRunStates(client: MillraceClient, signal: AbortSignal): AsyncGenerator<ReceivedEvent> {
  const seen = new Set<string>()
  let since = Date.now()
  while (!signal.aborted) {
    const filter = {
      event: { prefix: ['prefect.flow-run.', 'prefect.task-run.'] },
      occurred: { since: new Date(since - overlapMs).toISOString() },
      order: 'ASC' as const,
    }
    try {
      for (let page = await client.events.listPage({ filter }, { signal }); ; ) {
        for (const event of page.events) {
          since = Math.max(since, Date.parse(event.occurred))
          if (seen.has(event.id) || !event.resource['prefect.state-type']) continue
          if (seen.size >= seenMax) seen.clear()
          seen.add(event.id)
          yield event
        }
        const token = page.next_page && new URL(page.next_page).searchParams.get('page-token')
        if (!token) break
        page = await client.events.nextPage(token, { signal })
      }
      await sleep(pollSeconds, signal)
    } catch (error) {
      if (signal.aborted) return
      // The server restarts.
      if (!(error instanceof ConnectionError)) throw error
      await sleep(pollSeconds, signal).catch(() => undefined)
    }
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
