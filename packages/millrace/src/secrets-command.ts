import { rotateEncryptionKey } from '@millrace/server/domains/blocks/rotate-key.ts'
import { encodeKey, keyLengthBytes } from '@millrace/server/lib/encryption.ts'
import { readArguments, readSecretFile } from './arguments.ts'
import { withDatabase } from './with-database.ts'

/** Where the key is a setting, the new one stands there already, before the old one; else a key is made, or read from a file. */
export async function rotateSecrets(argv: readonly string[]): Promise<number> {
  const { options: texts } = readArguments(argv, { options: ['database', 'new-key-file'], positionals: 0 })
  const file = texts.get('new-key-file')
  return withDatabase(texts.get('database'), async ({ context }) => {
    const [given] = (context.config.server.encryption_key ?? '').split(',')
    const key = file === undefined ? given?.trim() || encodeKey(context.random.bytes(keyLengthBytes)) : readSecretFile(file)
    const { rotated } = await rotateEncryptionKey(context, key)
    console.log(`${rotated} block documents were encrypted anew.`)
    return 0
  })
}
