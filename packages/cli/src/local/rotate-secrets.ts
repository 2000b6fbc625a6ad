import { rotateEncryptionKey } from '@millrace/server/domains/blocks/rotate-key.ts'
import { encodeKey, keyLengthBytes } from '@millrace/server/lib/encryption.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withDatabase } from './with-database.ts'

/** Uses the given key, the first key in the setting (the new key comes before the old one), or a generated key. */
export async function rotateSecrets(cli: Cli, database: string | undefined, newKey: string | undefined): Promise<void> {
  await withDatabase(cli, database, async ({ context }) => {
    const configured = (context.config.server.encryption_key ?? '').split(',')[0]?.trim()
    if (newKey !== undefined && configured && newKey.trim() !== configured)
      throw new UsageError('MILLRACE_SERVER_ENCRYPTION_KEY is set. Put the new key there, before the old one, and leave out --new-key-file.')
    const key = newKey ?? (configured || encodeKey(context.random.bytes(keyLengthBytes)))
    const { rotated } = await rotateEncryptionKey(context, key)
    await cli.output.done(`Re-encrypted ${rotated} block documents.`, { rotated })
  })
}
