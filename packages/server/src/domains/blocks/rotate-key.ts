import type { ServerContext } from '../../storage/server-context.ts'
import { lockDocumentsOfOtherKeys, updateDocuments } from './document-store.ts'
import { keyRotatedEvent } from './key-events.ts'
import { keyringOf } from './keyring.ts'

const pageSize = 200

/**
 * Encrypts every block document with a new key. Old keys stay on the ring, so that other replicas, which may still write with one of
 * them, lose nothing: run it again once all of them know the new key. Where the key is a setting, put the new key there first, before
 * the old one and a comma, start all replicas again, rotate, then take the old key away.
 */
export async function rotateEncryptionKey(context: ServerContext, newKey: string): Promise<{ readonly rotated: number }> {
  const keyring = keyringOf(context)
  await keyring.open()
  const { id } = await keyring.activate(newKey)
  for (let rotated = 0; ; ) {
    const before = rotated
    const done = await context.writeQueue.submit(async (tx) => {
      const rows = await lockDocumentsOfOtherKeys(tx, id, pageSize)
      const texts = await keyring.decrypt(tx, rows)
      await updateDocuments(
        tx,
        rows.map((row, index) => ({ ...row, ...keyring.encrypt(row.id, texts[index] as string) })),
      )
      const all = before + rows.length
      if (rows.length < pageSize && all > 0) tx.emit(keyRotatedEvent(id, all, context.newId(), context.clock.now()))
      return rows.length
    })
    rotated += done
    if (done < pageSize) return { rotated }
  }
}
