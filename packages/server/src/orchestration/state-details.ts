import type { StateDetails } from '@millrace/contracts/state.ts'
import { formatTime, toMicros } from '../lib/time.ts'

/** Every detail of a state, left-out ones at their defaults; keys we do not know are dropped. Always the same shape, so that reading one is quick. */
export function withDefaultDetails(sent: Partial<StateDetails> = {}): StateDetails {
  return {
    flow_run_id: sent.flow_run_id ?? null,
    task_run_id: sent.task_run_id ?? null,
    child_flow_run_id: sent.child_flow_run_id ?? null,
    scheduled_time: canonicalTime(sent.scheduled_time),
    cache_key: sent.cache_key ?? null,
    cache_expiration: canonicalTime(sent.cache_expiration),
    deferred: sent.deferred === undefined ? false : sent.deferred,
    untrackable_result: sent.untrackable_result ?? false,
    pause_timeout: canonicalTime(sent.pause_timeout),
    pause_reschedule: sent.pause_reschedule ?? false,
    pause_key: sent.pause_key ?? null,
    run_input_keyset: sent.run_input_keyset ?? null,
    refresh_cache: sent.refresh_cache ?? null,
    retriable: sent.retriable ?? null,
    transition_id: sent.transition_id ?? null,
    task_parameters_id: sent.task_parameters_id ?? null,
    traceparent: sent.traceparent ?? null,
    deployment_concurrency_lease_id: sent.deployment_concurrency_lease_id ?? null,
  }
}

/** Times are read in several spellings and written in one, so that texts of stored states can be compared. */
function canonicalTime(sent: string | null | undefined): string | null {
  return sent ? formatTime(toMicros(sent)) : null
}
