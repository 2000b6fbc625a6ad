import { type LoadedBlock, loadBlockDocument } from '../domains/blocks/load-block.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import type { ServerEvent } from '../lib/server-events.ts'
import type { ActingContext, ServerContext } from '../storage/server-context.ts'
import { ActionFailed } from './action-context.ts'

export interface BlockTarget {
  readonly block: LoadedBlock
  readonly related: readonly ResourceLabels[]
}

/** Loads the block of an action and emits its `loaded` event. */
export async function loadBlock(context: ActingContext, id: string): Promise<BlockTarget> {
  const block = await loadBlockDocument(context, context.reads, id)
  if (!block) throw new ActionFailed(`Block document ${id} not found.`)
  const type = { 'prefect.resource.id': `prefect.block-type.${block.block_type_slug}`, 'prefect.resource.role': 'block-type' }
  const document = { 'prefect.resource.id': `prefect.block-document.${id}`, 'prefect.resource.name': block.name }
  await context.commands.submit(async (tx) => {
    tx.emit(loadedEvent(document, type, block.block_type_slug, context))
  })
  return { block, related: [{ ...document, 'prefect.resource.role': 'block' }, type] }
}

const loadedEvent = (resource: ResourceLabels, type: ResourceLabels, slug: string, { clock, newId }: ServerContext): ServerEvent => ({
  id: newId(),
  occurred: clock.now(),
  event: `prefect.block.${slug}.loaded`,
  resource,
  related: [type],
  payload: '{}',
  follows: null,
})
