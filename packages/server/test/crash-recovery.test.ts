import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, test } from 'vitest'
import { startServerProcess } from './server-process.ts'

/** Starts a server, writes from many clients until it is killed, and returns the acknowledged state of each run. */
async function writeUntilKilled(databaseUrl: string, acknowledged: Map<string, string>, writes: number): Promise<void> {
  const server = await startServerProcess(databaseUrl, ['--no-services'])
  const { post } = server
  const flow = await post('/flows/', { name: 'under fire' })
  let done = 0
  const client = async (): Promise<void> => {
    for (;;) {
      const run = await post('/flow_runs/', { flow_id: flow.id, tags: ['x'], state: { type: 'PENDING' } })
      acknowledged.set(run.id, 'PENDING')
      for (const type of ['RUNNING', 'COMPLETED']) {
        await post(`/flow_runs/${run.id}/set_state`, { state: { type } })
        acknowledged.set(run.id, type)
      }
      done += 1
      if (done >= writes) return
    }
  }
  const clients = Array.from({ length: 8 }, () => client().catch(() => undefined))
  await Promise.race(clients)
  await server.kill('SIGKILL')
  await Promise.all(clients)
}

test('keeps all acknowledged writes and an intact file after kill -9 under load', async () => {
  const file = join(mkdtempSync(join(inject('scratchFolder'), 'kill-')), 'millrace.db')
  const acknowledged = new Map<string, string>()
  for (const writes of [10, 37, 90]) await writeUntilKilled(`sqlite:${file}`, acknowledged, writes)

  const database = new DatabaseSync(file)
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  const order = ['PENDING', 'RUNNING', 'COMPLETED']
  const found = new Map(
    database
      .prepare('select id, state_type from flow_run')
      .all()
      .map((row) => [row.id as string, row.state_type as string]),
  )
  // Later states may exist whose response was lost; no acknowledged one may be missing.
  const lost = [...acknowledged].filter(([id, type]) => order.indexOf(found.get(id) ?? '') < order.indexOf(type))
  expect(lost).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(100)
  const split = database.prepare('select count(*) as n from flow_run where state_id not in (select id from flow_run_state)').get()
  expect(split).toEqual({ n: 0 })
  database.close()
}, 60_000)
