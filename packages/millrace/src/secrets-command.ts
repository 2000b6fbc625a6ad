import { rotateEncryptionKey } from '@millrace/server/domains/blocks/rotate-key.ts'
import { keyBytes, keyText } from '@millrace/server/lib/encryption.ts'
import { readArguments, secretIn } from './arguments.ts'
import { withDatabase } from './with-database.ts'

/** Where the key is a setting, the new one stands there already, before the old one; else a key is made, or read from a file. */
export async function rotateSecrets(argv: readonly string[]): Promise<number> {
  const { texts } = readArguments(argv, { texts: ['database', 'new-key-file'], words: 0 })
  const file = texts.get('new-key-file')
  return withDatabase(texts.get('database'), async ({ parts }) => {
    const [given] = (parts.config.server.encryption_key ?? '').split(',')
    const key = file === undefined ? given?.trim() || keyText(parts.random.bytes(keyBytes)) : secretIn(file)
    const { rotated } = await rotateEncryptionKey(parts, key)
    console.log(`${rotated} block documents were encrypted anew.`)
    return 0
  })
}
