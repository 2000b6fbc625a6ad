import { orNull, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import type { LeaseMode } from '../../orchestration/rule.ts'

/** A client may say what it does about slots: `renews` its lease while it runs, or `brings` a slot that it took itself. Anything else says nothing. */
export const LeaseModeHeaders = Type.Object({ 'x-service-slots': orNull(Text) })

/** Of a proposed state: a worker may say its name, so that the run it claims is known to be in its hands. */
export const ProposalHeaders = Type.Object({ ...LeaseModeHeaders.properties, 'x-service-worker': orNull(Text) })

export function parseLeaseMode({ 'x-service-slots': said }: { readonly 'x-service-slots'?: string | null }): LeaseMode | undefined {
  return said === 'renews' || said === 'brings' ? said : undefined
}
