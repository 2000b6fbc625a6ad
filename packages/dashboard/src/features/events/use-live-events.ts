import { sortableTime } from '@millrace/client/sortable-time.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { useEffect, useState } from 'react'
import { client } from '../../api/client.ts'
import { follow } from '../../api/follow.ts'

/** Bounds the memory of a page that stays open for days. */
const eventsMax = 500
const debounceSeconds = 0.25

/** Matching events since the list was loaded, newest first. Empty without a filter. */
export function useLiveEvents(filter: EventFilter | undefined): readonly ReceivedEvent[] {
  const [events, setEvents] = useState<readonly ReceivedEvent[]>([])
  const key = filter && JSON.stringify(filter)
  useEffect(() => {
    setEvents([])
    if (key === undefined) return
    const currentFilter = JSON.parse(key) as EventFilter
    let pending: ReceivedEvent[] = []
    let timer: number | undefined
    const settle = () => {
      timer = undefined
      const received = pending
      pending = []
      setEvents((current) => dedupeNewestFirst([...received, ...current]).slice(0, eventsMax))
    }
    const onEvent = (event: ReceivedEvent) => {
      pending.push(event)
      timer ??= window.setTimeout(settle, debounceSeconds * 1000)
    }
    const close = follow((options) => client.events.subscribe(currentFilter, options), onEvent)
    return () => {
      close()
      window.clearTimeout(timer)
    }
  }, [key])
  return events
}

/** Removes duplicates: a subscription that starts again returns the same events. */
export function dedupeNewestFirst(events: readonly ReceivedEvent[]): ReceivedEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  return [...byId.values()].sort((a, b) => {
    const [one, other] = [sortableTime(a.occurred), sortableTime(b.occurred)]
    return one < other ? 1 : one > other ? -1 : 0
  })
}
