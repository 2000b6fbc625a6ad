import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { client } from './client.ts'
import { follow } from './follow.ts'

/** Query keys that an event about a resource makes stale. The first matching prefix wins. */
const queryKeysByPrefix: readonly (readonly [prefix: string, ...nouns: string[]])[] = [
  ['prefect.flow-run.', 'flow-runs'],
  ['prefect.task-run.', 'task-runs'],
  ['prefect.deployment.', 'deployments'],
  ['prefect.flow.', 'flows'],
  ['prefect.work-pool.', 'work-pools'],
  ['prefect.work-queue.', 'work-queues', 'work-pools'],
  ['prefect.worker.', 'workers', 'work-pools'],
  ['prefect.automation.', 'automations'],
  ['millrace.automation', 'automations'],
  ['prefect.artifact', 'artifacts'],
  ['prefect.variable.', 'variables'],
  ['prefect.block-', 'blocks'],
  ['prefect.concurrency-limit.', 'concurrency-limits'],
]

/** Excludes task runs: thousands per second are possible, and the run page, which alone shows them, has its own subscription. */
const eventFilter = (since: number): EventFilter => ({
  occurred: { since: new Date(since).toISOString() },
  event: {
    prefix: queryKeysByPrefix.map(([prefix]) => prefix).filter((prefix) => prefix !== 'prefect.task-run.'),
    exclude_name: ['prefect.flow-run.heartbeat', 'prefect.worker.executed-flow-run'],
  },
})

/** Events since this long ago are sent first. Covers clock skew and the time between page load and socket open. */
const lookBackSeconds = 10

/** After this time the server has applied the filter of a new connection, which it does not confirm. */
const subscribeSeconds = 0.25

/** Least time between two refreshes of a page. Grows under load. */
const debounceSeconds = 1
const busyDebounceSeconds = 4
const busyEventsMin = 100
const pollSeconds = 5

type ConnectionMode = 'connecting' | 'live' | 'polling'

const listeners = new Set<() => void>()
let mode: ConnectionMode = 'connecting'

function setMode(next: ConnectionMode): void {
  if (mode === next) return
  mode = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useConnectionMode = (): ConnectionMode => useSyncExternalStore(subscribe, () => mode)

const queryKeysOf = (event: Pick<ReceivedEvent, 'resource'>): readonly string[] => {
  const id = event.resource['prefect.resource.id'] ?? ''
  return queryKeysByPrefix.find(([prefix]) => id.startsWith(prefix))?.slice(1) ?? []
}

/** Refreshes visible queries: on events, or by polling while there is no socket. */
export function startLiveUpdates(queryClient: QueryClient): () => void {
  const stale = new Set<string>()
  let seen = 0
  let timer: number | undefined
  let reconnectTimer: number | undefined
  const settle = () => {
    timer = undefined
    seen = 0
    const due = new Set(stale)
    stale.clear()
    if (document.visibilityState === 'visible') void queryClient.invalidateQueries({ predicate: ({ queryKey }) => due.has(String(queryKey[0])) })
  }
  const onEvent = (event: ReceivedEvent) => {
    const found = queryKeysOf(event)
    for (const noun of found) stale.add(noun)
    seen += 1
    if (found.length > 0) timer ??= window.setTimeout(settle, (seen > busyEventsMin ? busyDebounceSeconds : debounceSeconds) * 1000)
  }
  const close = follow((options) => client.events.subscribe(eventFilter(Date.now() - lookBackSeconds * 1000), options), onEvent, {
    // All queries are refreshed after a reconnect instead.
    resume: false,
    onConnect: () => {
      if (mode === 'polling') reconnectTimer = window.setTimeout(() => void queryClient.invalidateQueries(), subscribeSeconds * 1000)
      setMode('live')
    },
    onDisconnect: () => setMode('polling'),
  })
  const poll = window.setInterval(() => {
    if (mode === 'polling' && document.visibilityState === 'visible') {
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKeysByPrefix.some(([, ...names]) => names.includes(String(queryKey[0]))),
      })
    }
  }, pollSeconds * 1000)
  return () => {
    close()
    window.clearTimeout(timer)
    window.clearTimeout(reconnectTimer)
    window.clearInterval(poll)
  }
}
