import type { SetStateBody } from '@millrace/contracts/state.ts'

/** Whether a repeated request returns the run that the first one created. The server ignores an empty key. */
export const hasIdempotencyKey = ({ idempotency_key }: { readonly idempotency_key?: string | null }): boolean => Boolean(idempotency_key)

/** Whether a repeated proposal returns the state that the first one led to. */
export const hasTransitionId = ({ state }: SetStateBody): boolean => Boolean(state.state_details?.transition_id)
