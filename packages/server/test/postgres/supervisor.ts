/**
 * Runs one PostgreSQL server for as long as somebody holds the other end of standard input, then stops it and removes its folder.
 * The operating system closes that end when the holder dies, however it dies, so that no server and no folder stays behind.
 *
 * Its argument is the options as JSON; it answers one line of JSON on standard output, `{ adminUrl }` or `{ error }`.
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
// Whoever would read the answer may be gone; that is told by standard input.
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
