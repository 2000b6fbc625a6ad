/**
 * Runs a PostgreSQL server until standard input closes, then stops it and removes its folder. The operating system closes the pipe when the parent
 * process dies for any reason, so that no server and no folder is left.
 *
 * The argument is the options as JSON. Prints one line of JSON, `{ adminUrl }` or `{ error }`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresOptions } from './launcher.ts'
import { runPostgres } from './postgres-process.ts'
import { fastTemporaryFolder, temporaryFolder, unprivilegedAccount } from './unprivileged-account.ts'

const shutdown = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutdown.abort())
process.stdin.on('end', () => shutdown.abort()).resume()
// The parent may be gone; standard input reports that.
process.stdout.on('error', () => {})
const respond = (line: { adminUrl: string } | { error: string }) => process.stdout.write(`${JSON.stringify(line)}\n`)

let folder: string | undefined
try {
  const account = unprivilegedAccount()
  const options: PostgresOptions = JSON.parse(process.argv[2] ?? '{}')
  const parents = [options.durable ? tmpdir() : fastTemporaryFolder(), tmpdir(), '/tmp', '/var/tmp']
  folder = mkdtempSync(join(temporaryFolder(account, parents), 'millrace-postgres-'))
  await runPostgres({
    ...options,
    folder,
    account,
    signal: shutdown.signal,
    onReady: (adminUrl) => respond({ adminUrl }),
  })
} catch (error) {
  respond({ error: error instanceof Error ? error.message : String(error) })
} finally {
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit()
