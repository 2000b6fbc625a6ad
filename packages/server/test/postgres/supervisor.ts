/**
 * Runs a PostgreSQL server until standard input closes, then stops it and removes its folder. The operating system closes the pipe when the parent
 * process dies for any reason, so that no server and no folder is left.
 *
 * The argument is the options as JSON. Prints one line of JSON, `{ adminUrl }` or `{ error }`. Each line on standard input is the options of a restart;
 * the answer is `{ restarted: true }` or `{ error }`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PostgresOptions } from './launcher.ts'
import { type RestartOptions, runPostgres } from './postgres-process.ts'
import { fastTemporaryFolder, temporaryFolder, unprivilegedAccount } from './unprivileged-account.ts'

const shutdown = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutdown.abort())
const commands = createInterface(process.stdin)
commands.on('close', () => shutdown.abort())
// The parent may be gone; standard input reports that.
process.stdout.on('error', () => {})
const respond = (line: { adminUrl: string } | { restarted: true } | { error: string }) => process.stdout.write(`${JSON.stringify(line)}\n`)

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
    onReady(adminUrl, restart) {
      commands.on('line', (line) => {
        restart(JSON.parse(line) as RestartOptions).then(
          () => respond({ restarted: true }),
          (error) => respond({ error: errorText(error) }),
        )
      })
      respond({ adminUrl })
    },
  })
} catch (error) {
  respond({ error: errorText(error) })
} finally {
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit()
