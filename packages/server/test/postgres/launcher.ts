import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Cluster, connectCluster } from './cluster.ts'
import type { RestartOptions } from './postgres-process.ts'

export interface Postgres extends Cluster {
  /** The URL of the database `postgres`. */
  adminUrl: string
  /** Stops the server and starts it again with the same data and port. Resolves when it accepts connections. */
  restart(options: RestartOptions): Promise<void>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Survives a crash of the machine, as in production. Tests do not need this and are faster without it. */
  durable?: boolean
  /** Additional server settings, by their PostgreSQL names. */
  settings?: Record<string, string>
  /** The folder of another PostgreSQL's programs, such as that of a Debian package (default: the npm package). */
  programs?: string
  /** Starts a streaming standby of the server with this URL, which needs `replicationSettings`. */
  standbyOf?: string
}

/** What a primary needs for a standby. */
export const replicationSettings = { wal_level: 'replica', max_wal_senders: '4', synchronous_commit: 'on' }

/** Starts a PostgreSQL server, under another account when run by root. It ends with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const script = fileURLToPath(new URL('supervisor.ts', import.meta.url))
  // In a new session: Ctrl-C must not stop the server before the tests have ended.
  const supervisor = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(supervisor, 'exit')
  const lines = createInterface(supervisor.stdout)
  const [line] = await Promise.race([once(lines, 'line'), exited.then(() => ['{"error":"the supervisor exited without output"}'])])
  const answer: { adminUrl: string } | { error: string } = JSON.parse(line)
  if ('error' in answer) throw new Error(`cannot run PostgreSQL: ${answer.error}`)

  const cluster = connectCluster(answer.adminUrl)
  return {
    ...cluster,
    adminUrl: answer.adminUrl,
    async restart(restartOptions) {
      supervisor.stdin.write(`${JSON.stringify(restartOptions)}\n`)
      const [reply] = await Promise.race([once(lines, 'line'), exited.then(() => ['{"error":"the supervisor exited"}'])])
      const result: { restarted: true } | { error: string } = JSON.parse(reply)
      if ('error' in result) throw new Error(`cannot restart PostgreSQL: ${result.error}`)
    },
    async stop() {
      await cluster.close()
      supervisor.stdin.end()
      await exited
    },
  }
}
