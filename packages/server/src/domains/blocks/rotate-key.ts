import type { ActingContext } from '../../storage/server-context.ts'
import { lockDocumentsOfOtherKeys, updateDocuments } from './document-store.ts'
import { keyRotatedEvent } from './events.ts'
import { keyringOf } from './keyring.ts'

const pageSize = 200

/**
 * Encrypts every block document with a new key. Old keys stay on the keyring, because other replicas may still write with them: run it
 * again once all replicas have the new key. If the key is a setting, put the new key before the old one, separated by a comma, restart all
 * replicas, rotate, then remove the old key.
 */
export async function rotateEncryptionKey(context: ActingContext, newKey: string): Promise<{ readonly rotated: number }> {
  const keyring = keyringOf(context)
  await keyring.open()
  const { id } = await keyring.activate(newKey)
  for (let rotated = 0; ; ) {
    const before = rotated
    const done = await context.commands.submit(async (tx) => {
      const rows = await lockDocumentsOfOtherKeys(tx, id, pageSize)
      const texts = await keyring.decrypt(tx, rows)
      await updateDocuments(
        tx,
        rows.map((row, index) => ({ ...row, ...keyring.encrypt(row.id, texts[index] as string) })),
      )
      const total = before + rows.length
      if (rows.length < pageSize && total > 0) tx.emit(keyRotatedEvent(id, total, context.newId(), context.clock.now()))
      return rows.length
    })
    rotated += done
    if (done < pageSize) return { rotated }
  }
}
