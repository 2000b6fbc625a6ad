import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { temporaryFolder, unprivilegedAccount } from './unprivileged-account.ts'

/** The program of the Debian package, or another version named by the variable. */
const program = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer'

/** `1.18`; undefined if PgBouncer is not installed. */
export function pgbouncerVersion(): string | undefined {
  if (!existsSync(program)) return undefined
  return /PgBouncer (\d+\.\d+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout)?.[1]
}

export interface PgBouncer {
  /** The URL of the database through PgBouncer. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts PgBouncer in transaction mode in front of a database, with few connections, so that transactions of one client change backends. */
export async function startPgBouncer(targetUrl: string, settings: Record<string, string> = {}): Promise<PgBouncer> {
  const target = new URL(targetUrl)
  const account = unprivilegedAccount()
  const folder = mkdtempSync(join(temporaryFolder(account, [tmpdir(), '/tmp', '/var/tmp']), 'millrace-pgbouncer-'))
  const port = await freePort()
  const users = join(folder, 'users.txt')
  const file = join(folder, 'pgbouncer.ini')
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    pool_mode: 'transaction',
    default_pool_size: '5',
    max_client_conn: '500',
    ...settings,
  }
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${target.hostname} port=${target.port}`,
      '[pgbouncer]',
      ...Object.entries(options).map((entry) => entry.join(' = ')),
      '',
    ].join('\n'),
  )
  for (const path of [folder, users, file]) {
    chmodSync(path, path === folder ? 0o755 : 0o644)
    if (account) chownSync(path, account.uid, account.gid)
  }
  const child = spawn(program, ['-q', file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (piece: Buffer) => {
    log += piece.toString()
  })
  const exited = once(child, 'exit')
  target.port = String(port)
  target.hostname = '127.0.0.1'
  const url = target.href
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (child.exitCode !== null || attempt > 200) throw new Error(`PgBouncer did not start: ${error}\n${log}\n${readFileSync(file, 'utf8')}`)
      await pause(20)
    }
  }
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
