import { statement, type Tx } from '../storage/database.ts'
import type { FlowRunDraft } from './command.ts'

interface Tagged {
  readonly id: string
  readonly name: string
  readonly tags: string
}
interface Labelled extends Tagged {
  readonly labels: string
}
interface Queue {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly pool_name: string
  readonly pool_type: string
}

/** What new flow runs refer to, by id. */
export interface FlowRunReferences {
  readonly flows: ReadonlyMap<string, Labelled>
  readonly deployments: ReadonlyMap<string, Labelled>
  readonly queues: ReadonlyMap<string, Queue>
  readonly documents: ReadonlyMap<string, { readonly id: string }>
}

const flowsById = statement((dialect) => `select id, name, tags, labels from flow where ${dialect.inList('id', '$1', 'uuid')}`)
const deploymentsById = statement((dialect) => `select id, name, tags, labels from deployment where ${dialect.inList('id', '$1', 'uuid')}`)
const documentsById = statement((dialect) => `select id from block_document where ${dialect.inList('id', '$1', 'uuid')}`)
const queuesById = statement(
  (dialect) => `select work_queue.id, work_queue.name, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type
    from work_queue join work_pool on work_pool.id = work_queue.work_pool_id where ${dialect.inList('work_queue.id', '$1', 'uuid')}`,
)

/** A table without references is not queried. */
export async function readReferences(tx: Tx, drafts: readonly FlowRunDraft[]): Promise<FlowRunReferences> {
  const read = async <R extends { readonly id: string }>(
    query: typeof flowsById,
    idOf: (draft: FlowRunDraft) => string | null | undefined,
  ): Promise<Map<string, R>> => {
    const ids = new Set(drafts.flatMap((draft) => idOf(draft) || []))
    const rows = ids.size === 0 ? [] : await tx.all<R>(query, [tx.dialect.list([...ids])])
    return new Map(rows.map((row) => [row.id, row]))
  }
  const [flows, deployments, queues, documents] = await Promise.all([
    read<Labelled>(flowsById, (draft) => draft.flow_id),
    read<Labelled>(deploymentsById, (draft) => draft.deployment_id),
    read<Queue>(queuesById, (draft) => draft.work_queue_id),
    // Deployments have checked the document of their runs.
    read<{ id: string }>(documentsById, (draft) => (draft.planned ? null : draft.infrastructure_document_id)),
  ])
  return { flows, deployments, queues, documents }
}
