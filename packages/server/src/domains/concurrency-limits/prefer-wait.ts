import { orNull, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import type { Config } from '../../config.ts'

/** `Prefer: wait=10` (RFC 7240): rather an answer within ten seconds than a refusal at once. */
export const PreferHeader = Type.Object({ prefer: orNull(Text) })

/** How many seconds a request for slots may be held. */
export function preferredWaitSeconds({ prefer }: { readonly prefer?: string | null }, { concurrency }: Config): number {
  const wanted = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(prefer ?? '')?.[1]
  return Math.min(Number(wanted ?? 0), concurrency.maximum_hold_seconds)
}
