import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { subscribe as subscribeSocket } from './socket.ts'

/** Whose queries an event about a resource makes stale. The first that fits. */
const nouns: readonly (readonly [prefix: string, ...nouns: string[]])[] = [
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

/** Task runs are left out: there may be thousands a second, and only the page of their flow run shows them, which asks for its own. */
const filter = (since: number): EventFilter => ({
  occurred: { since: new Date(since).toISOString() },
  event: {
    prefix: nouns.map(([prefix]) => prefix).filter((prefix) => prefix !== 'prefect.task-run.'),
    exclude_name: ['prefect.flow-run.heartbeat', 'prefect.worker.executed-flow-run'],
  },
})

/** The server sends what happened since then first. Clocks differ a little, and a page is asked for before its socket is open. */
const lookBackSeconds = 10

/** However much happens, a page asks again only so often; less often when very much happens. */
const settleSeconds = 1
const busySettleSeconds = 4
const busyEvents = 100
const pollSeconds = 5

type Mode = 'connecting' | 'live' | 'polling'

const listeners = new Set<() => void>()
let mode: Mode = 'connecting'

function setMode(next: Mode): void {
  if (mode === next) return
  mode = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLiveMode = (): Mode => useSyncExternalStore(subscribe, () => mode)

const nounsOf = (event: Pick<ReceivedEvent, 'resource'>): readonly string[] => {
  const id = event.resource['prefect.resource.id'] ?? ''
  return nouns.find(([prefix]) => id.startsWith(prefix))?.slice(1) ?? []
}

/** Keeps what is on the screen true: events make queries stale; while there is no socket, time does. */
export function keepLive(client: QueryClient): () => void {
  const stale = new Set<string>()
  let seen = 0
  let timer: number | undefined
  const settle = () => {
    timer = undefined
    seen = 0
    const due = new Set(stale)
    stale.clear()
    if (document.visibilityState === 'visible') void client.invalidateQueries({ predicate: ({ queryKey }) => due.has(String(queryKey[0])) })
  }
  const close = subscribeSocket('/events/out', () => filter(Date.now() - lookBackSeconds * 1000), {
    onFrame(frame) {
      if (frame.type !== 'event') return
      const found = nounsOf(frame.event as ReceivedEvent)
      for (const noun of found) stale.add(noun)
      seen += 1
      if (found.length > 0) timer ??= window.setTimeout(settle, (seen > busyEvents ? busySettleSeconds : settleSeconds) * 1000)
    },
    onOpen: () => {
      // Much may have happened while nobody listened.
      if (mode === 'polling') void client.invalidateQueries()
      setMode('live')
    },
    onLost: () => setMode('polling'),
  })
  const poll = window.setInterval(() => {
    if (mode === 'polling' && document.visibilityState === 'visible') {
      void client.invalidateQueries({ predicate: ({ queryKey }) => nouns.some(([, ...names]) => names.includes(String(queryKey[0]))) })
    }
  }, pollSeconds * 1000)
  return () => {
    close()
    window.clearTimeout(timer)
    window.clearInterval(poll)
  }
}
