import type { ArtifactCreate, ArtifactUpdate } from '@millrace/contracts/artifact.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { notFound } from '../../errors.ts'
import { nullableJsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { collectionEvent } from './events.ts'
import {
  type ArtifactRow,
  deleteArtifact,
  deleteCollection,
  insertArtifact,
  lockCollection,
  readArtifact,
  readLatestExcept,
  updateArtifact,
  updateCollection,
  upsertCollection,
} from './store.ts'

const metadataCharactersMax = 500

/** Creates an artifact. It becomes the latest of its key. */
export const createArtifact =
  ({ clock, newId }: ServerContext, body: Received<typeof ArtifactCreate>) =>
  async (tx: Tx): Promise<ArtifactRow> => {
    const now = clock.now()
    const row: ArtifactRow = {
      id: newId(),
      created: now,
      updated: now,
      key: body.key,
      type: body.type,
      description: body.description,
      data: nullableJsonText(body.data),
      metadata_: metadataText(body.metadata_),
      flow_run_id: body.flow_run_id,
      task_run_id: body.task_run_id,
    }
    await insertArtifact(tx, row)
    if (row.key === null) return row
    const proposed = { ...row, id: newId(), key: row.key, latest_id: row.id }
    const collection = await upsertCollection(tx, proposed)
    tx.emit(collectionEvent(collection.id === proposed.id ? 'created' : 'updated', collection, newId(), now))
    return row
  }

/** Updates the given fields, also in the collection if the artifact is the latest of its key. Emits no event, like the reference. */
export const changeArtifact =
  ({ clock }: ServerContext, id: string, body: ArtifactUpdate) =>
  async (tx: Tx): Promise<void> => {
    const row = await readArtifact(tx, id)
    if (!row) throw notFound('Artifact')
    const change = {
      updated: clock.now(),
      ...(body.data === undefined ? {} : { data: nullableJsonText(body.data) }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.metadata_ === undefined ? {} : { metadata_: metadataText(body.metadata_) }),
    }
    await updateArtifact(tx, { id, ...change })
    const collection = row.key === null ? undefined : await lockCollection(tx, row.key)
    if (collection?.latest_id === id) await updateCollection(tx, { id: collection.id, ...change })
  }

/** Deletes an artifact. If it was the latest of its key, the previous one replaces it; with the last one the key is deleted. */
export const removeArtifact =
  ({ clock, newId }: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const row = await readArtifact(tx, id)
    if (!row) throw notFound('Artifact')
    await deleteArtifact(tx, id)
    const collection = row.key === null ? undefined : await lockCollection(tx, row.key)
    if (collection?.latest_id !== id) return
    const next = await readLatestExcept(tx, collection.key, id)
    if (next) {
      const moved = { ...next, id: collection.id, key: collection.key, latest_id: next.id }
      await updateCollection(tx, moved)
      tx.emit(collectionEvent('updated', moved, newId(), clock.now()))
    } else {
      await deleteCollection(tx, collection.id)
      tx.emit(collectionEvent('deleted', collection, newId(), clock.now()))
    }
  }

/** Truncates long metadata values, as the reference does. */
function metadataText(metadata: Record<string, string> | null): string | null {
  if (metadata === null) return null
  const short = Object.entries(metadata).map(([name, value]) => {
    const characters = value.length > metadataCharactersMax ? [...value] : []
    return [name, characters.length > metadataCharactersMax ? `${characters.slice(0, metadataCharactersMax).join('')}...` : value]
  })
  return JSON.stringify(Object.fromEntries(short))
}
