import type { ResourceLabels } from '../lib/event-record.ts'
import { writeJson } from '../lib/json.ts'
import type { FilterableEvent } from './match-event.ts'
import { type EventRow, eventAnswer } from './store.ts'

/** A row of the log for filters and sockets. Fields are parsed on first use, once for all subscribers. */
export class LoggedEvent implements FilterableEvent {
  readonly row: EventRow
  #resource: ResourceLabels | undefined
  #related: readonly ResourceLabels[] | undefined
  #text: string | undefined
  #frame: Uint8Array | undefined

  constructor(row: EventRow) {
    this.row = row
  }

  get id(): string {
    return this.row.id
  }

  get occurred(): number {
    return this.row.occurred
  }

  get event(): string {
    return this.row.event
  }

  get resource(): ResourceLabels {
    this.#resource ??= JSON.parse(this.row.resource) as ResourceLabels
    return this.#resource
  }

  get related(): readonly ResourceLabels[] {
    this.#related ??= JSON.parse(this.row.related) as ResourceLabels[]
    return this.#related
  }

  get text(): string {
    const { event, resource, related, payload } = this.row
    this.#text ??= `${event} ${resource} ${related} ${payload}`.toLowerCase()
    return this.#text
  }

  /** The WebSocket message for subscribers. */
  get frame(): Uint8Array {
    this.#frame ??= Buffer.from(writeJson({ type: 'event', event: eventAnswer(this.row) }))
    return this.#frame
  }
}
