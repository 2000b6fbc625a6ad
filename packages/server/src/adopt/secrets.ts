import { decryptFernet } from '../lib/encryption.ts'
import { type Source, SourceError } from './source/source.ts'

/** Decrypts a value of the source. */
export type SecretReader = (token: string) => string

/**
 * Uses the key that the user passes, like the setting of the other server, or else the key that the server has stored in its database. A wrong key is
 * detected before anything is copied.
 */
export async function createSecretReader(source: Source, given: string | undefined): Promise<SecretReader> {
  const key = given?.trim() || (await readStoredKey(source))
  const read = (token: string): string => {
    if (!key) throw new SourceError('Encryption key of the source not found. Pass it with --old-key-file.')
    return decryptFernet(token, key)
  }
  const [sample] = await source.all<{ data: string }>(
    `select ${source.selectExpression('json', 'data')} as data from block_document order by created limit 1`,
  )
  if (sample) verifyKey(read, sample.data, given !== undefined)
  return read
}

function verifyKey(read: SecretReader, data: string, given: boolean): void {
  try {
    read(parseToken(data))
  } catch (error) {
    if (error instanceof SourceError) throw error
    const key = given ? 'The key in --old-key-file' : 'The key in the source database'
    throw new SourceError(`${key} cannot decrypt its block documents. Pass the PREFECT_SERVER_ENCRYPTION_KEY of the old server with --old-key-file.`)
  }
}

/** A token is stored as a JSON string. */
export function parseToken(data: string): string {
  const token: unknown = JSON.parse(data)
  if (typeof token !== 'string') throw new Error('not encrypted')
  return token
}

async function readStoredKey(source: Source): Promise<string | undefined> {
  const value = source.selectExpression('json', 'value')
  const [row] = await source.all<{ value: string }>(`select ${value} as value from configuration where key = 'ENCRYPTION_KEY'`)
  return row && (JSON.parse(row.value) as { fernet_key?: string }).fernet_key
}
