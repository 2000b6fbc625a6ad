import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Cluster, connectCluster } from './cluster.ts'

export interface Postgres extends Cluster {
  /** The URL of the database that is always there. */
  adminUrl: string
  /** Stops the server and removes every file of it. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Keeps what it acknowledged through a crash of the machine, as in production. Tests have nothing to keep and are faster without. */
  durable?: boolean
  /** Server settings beyond ours, by PostgreSQL's names. */
  settings?: Record<string, string>
}

/** Starts a PostgreSQL server of its own, as root (under another account) or as anybody else. It ends with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const script = fileURLToPath(new URL('supervisor.ts', import.meta.url))
  // In a session of its own, so that Ctrl-C reaches us first and the server is still there while tests wind up.
  const supervisor = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(supervisor, 'exit')
  const lines = createInterface(supervisor.stdout)
  const [line] = await Promise.race([once(lines, 'line'), exited.then(() => ['{"error":"its supervisor ended without a word"}'])])
  const answer: { adminUrl: string } | { error: string } = JSON.parse(line)
  if ('error' in answer) throw new Error(`cannot run PostgreSQL: ${answer.error}`)

  const cluster = connectCluster(answer.adminUrl)
  return {
    ...cluster,
    adminUrl: answer.adminUrl,
    async stop() {
      await cluster.close()
      supervisor.stdin.end()
      await exited
    },
  }
}
