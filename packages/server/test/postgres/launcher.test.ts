import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startPostgres } from './launcher.ts'

async function connect(connectionString: string) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Resolves when the server has closed the connection. `once` would reject on the error event before it. */
const ended = (client: pg.Client) => new Promise<void>((resolve) => client.on('end', resolve))

async function folderOf(client: pg.Client) {
  const { rows } = await client.query('show data_directory')
  return dirname(rows[0].data_directory)
}

test('a durable server uses fsync and a password, and removes its files when it stops', async () => {
  const postgres = await startPostgres({ durable: true, settings: { work_mem: '9MB' } })
  const client = await connect(postgres.adminUrl)
  const folder = await folderOf(client)
  const { rows } = await client.query(
    `select name || '=' || setting as setting from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'work_mem') order by name`,
  )
  expect(rows.map((row) => row.setting)).toEqual(['fsync=on', 'full_page_writes=on', 'synchronous_commit=on', 'work_mem=9216'])

  const stranger = new URL(postgres.adminUrl)
  stranger.password = 'guess'
  await expect(connect(stranger.href)).rejects.toThrow('password authentication failed')

  expect(existsSync(folder)).toBe(true)
  const cut = ended(client)
  await postgres.stop()
  await cut
  expect(existsSync(folder)).toBe(false)
})

test('a server stops and removes its files when the process that started it is killed', async () => {
  const launcher = fileURLToPath(new URL('launcher.ts', import.meta.url))
  const program = `const { startPostgres } = await import(${JSON.stringify(launcher)}); console.log((await startPostgres()).adminUrl)`
  const starter = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [adminUrl] = await once(createInterface(starter.stdout), 'line')
  const client = await connect(adminUrl)
  const folder = await folderOf(client)

  const cut = ended(client)
  starter.kill('SIGKILL')
  await cut
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 10_000, interval: 20 })
})

test('an invalid setting is reported with the message of PostgreSQL', async () => {
  await expect(startPostgres({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/invalid value for parameter "shared_buffers"/)
})

test('a server that restarts keeps its port and its data', async () => {
  const postgres = await startPostgres()
  const client = await connect(postgres.adminUrl)
  await client.query('create table kept as select 1 as n')
  const cut = ended(client)
  await postgres.restart({ signal: 'SIGINT', downMs: 0 })
  await cut
  const again = await connect(postgres.adminUrl)
  expect((await again.query('select n from kept')).rows).toEqual([{ n: 1 }])
  await again.end()
  await postgres.stop()
})
