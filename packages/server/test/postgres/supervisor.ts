/**
 * Runs one PostgreSQL server for as long as somebody holds the other end of standard input, then stops it and removes its folder.
 * The operating system closes that end when the holder dies, however it dies, so that no server and no folder stays behind.
 *
 * Its argument is the options as JSON; it answers one line of JSON on standard output, `{ adminUrl }` or `{ error }`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, unprivilegedAccount } from './account.ts'
import { runServer } from './server-process.ts'

const held = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => held.abort())
process.stdin.on('end', () => held.abort()).resume()
// Whoever would read the answer may be gone; that is told by standard input.
process.stdout.on('error', () => {})
const answer = (line: { adminUrl: string } | { error: string }) => process.stdout.write(`${JSON.stringify(line)}\n`)

let folder: string | undefined
try {
  const account = unprivilegedAccount()
  folder = mkdtempSync(join(temporaryFolder(account), 'millrace-postgres-'))
  await runServer({ ...JSON.parse(process.argv[2] ?? '{}'), folder, account, signal: held.signal, onReady: (adminUrl) => answer({ adminUrl }) })
} catch (error) {
  answer({ error: error instanceof Error ? error.message : String(error) })
} finally {
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit()
