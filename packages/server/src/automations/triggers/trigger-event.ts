import type { ResourceLabels } from '../../lib/event-record.ts'
import type { Micros } from '../../lib/time.ts'

/** An event of the log as triggers look at it. */
export interface TriggerEvent {
  readonly id: string
  /** Its place in the log. */
  readonly position: number
  readonly occurred: Micros
  readonly received: Micros
  readonly event: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
  /** Stands for it in what is kept: a reference to it, as JSON text. */
  readonly text: string
}
