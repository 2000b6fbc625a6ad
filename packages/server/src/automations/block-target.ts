import { type LoadedBlock, loadBlockDocument } from '../domains/blocks/load-block.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import type { Parts } from '../storage/parts.ts'
import { ActionFailed } from './deed.ts'

export interface BlockTarget {
  readonly block: LoadedBlock
  readonly related: readonly ResourceLabels[]
}

/** The block that an action goes by; that it was loaded is told. */
export async function loadBlock(parts: Parts, id: string): Promise<BlockTarget> {
  const block = await loadBlockDocument(parts, parts.reads, id)
  if (!block) throw new ActionFailed(`There is no block document ${id}`)
  const type = { 'prefect.resource.id': `prefect.block-type.${block.block_type_slug}`, 'prefect.resource.role': 'block-type' }
  const own = { 'prefect.resource.id': `prefect.block-document.${id}`, 'prefect.resource.name': block.name }
  await parts.lane.submit(async (tx) => {
    tx.announce(loadedEvent(own, type, block.block_type_slug, parts))
  })
  return { block, related: [{ ...own, 'prefect.resource.role': 'block' }, type] }
}

const loadedEvent = (resource: ResourceLabels, type: ResourceLabels, slug: string, { clock, newId }: Parts): EventRecord => ({
  id: newId(),
  occurred: clock.now(),
  event: `prefect.block.${slug}.loaded`,
  resource,
  related: [type],
  payload: '{}',
  follows: null,
})
