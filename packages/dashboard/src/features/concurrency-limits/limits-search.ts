import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { readString } from '../../search-params.ts'

/** A global limit, a tag limit or a deployment limit. The prefix of the name decides. */
export type LimitKind = 'named' | 'tag' | 'deployment'

const limitKinds = ['named', 'tag', 'deployment'] as const

const deploymentLimitName = /^deployment:([0-9a-f-]{36})$/

export function limitKindOf({ name }: Pick<GlobalConcurrencyLimitResponse, 'name'>): LimitKind {
  if (name.startsWith('tag:')) return 'tag'
  return deploymentLimitName.test(name) ? 'deployment' : 'named'
}

export const tagOfLimit = (name: string): string => name.slice('tag:'.length)

export const deploymentIdOf = (name: string): string | undefined => deploymentLimitName.exec(name)?.[1]

export interface LimitsSearch {
  readonly kind?: LimitKind
  /** Part of the name. */
  readonly name?: string
}

export function readLimitsSearch(params: Record<string, unknown>): LimitsSearch {
  const kind = limitKinds.find((each) => each === readString(params.kind))
  const name = readString(params.name)
  return { ...(kind && kind !== 'named' && { kind }), ...(name && { name }) }
}
