import type { Micros } from './time.ts'

/** A resource or a related resource of an event: labels by name. */
export type ResourceLabels = Readonly<Record<string, string>>

/** An event to be written to the log. */
export interface EventRecord {
  readonly id: string
  readonly occurred: Micros
  readonly event: string
  /** Has `prefect.resource.id`. */
  readonly resource: ResourceLabels
  /** Each has `prefect.resource.id` and `prefect.resource.role`. */
  readonly related: readonly ResourceLabels[]
  /** JSON text of an object. */
  readonly payload: string
  readonly follows: string | null
  /**
   * Set when a client sent it: the last position of the segments that are known not to contain its id. A client may send it again; events of the server are
   * unique.
   */
  readonly checkedUntil?: number
}
