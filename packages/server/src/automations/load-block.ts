import { type LoadedBlock, loadBlockDocument } from '../domains/blocks/load-block.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { ActionFailed } from './action-context.ts'

export interface BlockTarget {
  readonly block: LoadedBlock
  readonly related: readonly ResourceLabels[]
}

/** The block that an action goes by; that it was loaded is told. */
export async function loadBlock(context: ServerContext, id: string): Promise<BlockTarget> {
  const block = await loadBlockDocument(context, context.reads, id)
  if (!block) throw new ActionFailed(`There is no block document ${id}`)
  const type = { 'prefect.resource.id': `prefect.block-type.${block.block_type_slug}`, 'prefect.resource.role': 'block-type' }
  const own = { 'prefect.resource.id': `prefect.block-document.${id}`, 'prefect.resource.name': block.name }
  await context.writeQueue.submit(async (tx) => {
    tx.emit(loadedEvent(own, type, block.block_type_slug, context))
  })
  return { block, related: [{ ...own, 'prefect.resource.role': 'block' }, type] }
}

const loadedEvent = (resource: ResourceLabels, type: ResourceLabels, slug: string, { clock, newId }: ServerContext): EventRecord => ({
  id: newId(),
  occurred: clock.now(),
  event: `prefect.block.${slug}.loaded`,
  resource,
  related: [type],
  payload: '{}',
  follows: null,
})
