import { BlockCatalog } from './block-catalog.ts'
import type { Kind } from './kind.ts'
import { automations } from './kinds/automations.ts'
import { blockDocuments, type SecretOptions } from './kinds/block-documents.ts'
import { blockTypes } from './kinds/block-types.ts'
import { concurrencyLimits } from './kinds/concurrency-limits.ts'
import { defaultResultStorage } from './kinds/default-result-storage.ts'
import { deployments } from './kinds/deployments.ts'
import { flows } from './kinds/flows.ts'
import { savedSearches } from './kinds/saved-searches.ts'
import { tagConcurrencyLimits } from './kinds/tag-concurrency-limits.ts'
import { variables } from './kinds/variables.ts'
import { workPools } from './kinds/work-pools.ts'
import { workQueues } from './kinds/work-queues.ts'

/** The keys of the files, in the order in which they are written and applied: a kind refers to earlier kinds only, with few exceptions. */
export const kindKeys = [
  'block_types',
  'block_documents',
  'default_result_storage',
  'work_pools',
  'work_queues',
  'concurrency_limits',
  'tag_concurrency_limits',
  'variables',
  'flows',
  'deployments',
  'automations',
  'saved_searches',
] as const
export type KindKey = (typeof kindKeys)[number]

/** Kinds of one export or import, which share what they know of block types. */
export function createKinds(secrets: SecretOptions): Readonly<Record<KindKey, Kind>> {
  const catalog = new BlockCatalog()
  return {
    block_types: blockTypes(catalog),
    block_documents: blockDocuments(catalog, secrets),
    default_result_storage: defaultResultStorage,
    work_pools: workPools,
    work_queues: workQueues,
    concurrency_limits: concurrencyLimits,
    tag_concurrency_limits: tagConcurrencyLimits,
    variables,
    flows,
    deployments,
    automations,
    saved_searches: savedSearches,
  }
}
