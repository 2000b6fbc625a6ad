import type { MillraceClient } from '@millrace/client/client.ts'
import { NotFoundError } from '@millrace/client/errors.ts'
import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { CommandError } from '../errors.ts'
import { findItem } from '../find-item.ts'
import { isId } from '../resolve.ts'

export type LimitKind = 'global' | 'tag' | 'deployment'

const tagPrefix = 'tag:'

/** Limits of tags and deployments are global limits with a prefix. */
export const limitKind = (name: string): LimitKind =>
  name.startsWith(tagPrefix) ? 'tag' : name.startsWith('deployment:') && isId(name.slice('deployment:'.length)) ? 'deployment' : 'global'

/** The tag of a limit's name, or undefined for a limit of another kind. */
export const tagOf = (name: string): string | undefined => (name.startsWith(tagPrefix) ? name.slice(tagPrefix.length) : undefined)

export const limitArgument = ['<limit>', 'name or id; tag:NAME for the limit of a tag'] as const

export async function findLimit(client: MillraceClient, reference: string): Promise<GlobalConcurrencyLimitResponse> {
  const item = { noun: 'Concurrency limit', name: reference, list: 'concurrency ls' }
  return findItem(item, () => client.concurrencyLimits.read(reference)).catch(async (error) => {
    if (!(error instanceof CommandError) || reference === '' || isId(reference)) throw error
    if (await hasTagLimit(client, reference))
      throw new CommandError(`Concurrency limit "${reference}" not found. Did you mean "tag:${reference}"?`, 'notFound')
    throw error
  })
}

async function hasTagLimit(client: MillraceClient, tag: string): Promise<boolean> {
  try {
    await client.tagConcurrencyLimits.readByTag(tag)
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}
