import type { Trigger } from '@millrace/contracts/trigger.ts'
import { rawJson, writeJson } from '../lib/json.ts'
import { formatTime, type Micros } from '../lib/time.ts'

/** One instance of a trigger having fired. */
export interface Firing {
  readonly id: string
  readonly trigger: Trigger
  readonly triggered: Micros
  readonly labels: Readonly<Record<string, string>>
  /** JSON texts of the firings that made a compound or a sequence fire. */
  readonly firings: readonly string[]
  /** Refers to the event that it tells of: the one that caused it, or the last that was seen before it fired by the clock. */
  readonly event: string | null
}

/** As the API and templates show it, but for events: those are references here (see event-reference.ts). */
export const firingText = ({ id, trigger, triggered, labels, firings, event }: Firing): string =>
  writeJson({
    id,
    trigger,
    trigger_states: ['Triggered'],
    triggered: formatTime(triggered),
    triggering_labels: labels,
    triggering_firings: rawJson(`[${firings.join(',')}]`),
    triggering_event: rawJson(event),
    triggering_value: null,
  })
