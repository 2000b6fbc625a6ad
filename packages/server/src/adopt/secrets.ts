import { decryptFernet } from '../lib/encryption.ts'
import { type Source, SourceError } from './source/source.ts'

/** Reads what the other server encrypted. */
export type SecretReader = (token: string) => string

/**
 * The key that a person names wins, as the setting does in the other server; without one it is the key that the server made itself and keeps
 * in its database. A wrong key is found out before anything is copied.
 */
export async function createSecretReader(source: Source, given: string | undefined): Promise<SecretReader> {
  const key = given?.trim() || (await readStoredKey(source))
  const read = (token: string): string => {
    if (!key) throw new SourceError('The source has block documents and no key for them: name the key with --old-key-file')
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
    const which = given ? 'The key that was given' : 'The key that lies in the source'
    throw new SourceError(
      `${which} does not open its block documents. Name the key with --old-key-file, as PREFECT_SERVER_ENCRYPTION_KEY was set for the old server`,
    )
  }
}

/** A token is kept as a JSON text. */
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
