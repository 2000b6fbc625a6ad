import { rotateEncryptionKey } from '@millrace/server/domains/blocks/rotate-key.ts'
import { encodeKey, keyLengthBytes } from '@millrace/server/lib/encryption.ts'
import { readArguments, readSecretFile } from './arguments.ts'
import { withDatabase } from './with-database.ts'

/** Uses the key in the file, the first key in the setting (the new key comes before the old one), or a generated key. */
export async function rotateSecrets(argv: readonly string[]): Promise<number> {
  const { options } = readArguments(argv, { options: ['database', 'new-key-file'] })
  const file = options.get('new-key-file')
  return withDatabase(options.get('database'), async ({ context }) => {
    const [configured] = (context.config.server.encryption_key ?? '').split(',')
    const key = file === undefined ? configured?.trim() || encodeKey(context.random.bytes(keyLengthBytes)) : readSecretFile(file)
    const { rotated } = await rotateEncryptionKey(context, key)
    console.log(`Re-encrypted ${rotated} block documents.`)
    return 0
  })
}
