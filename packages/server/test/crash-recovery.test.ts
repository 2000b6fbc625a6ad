import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, onTestFinished, test } from 'vitest'
import { findChangeProblems, noProblems } from './acknowledged-changes.ts'
import { startFailoverLoad } from './failover-load.ts'
import { freePort } from './free-port.ts'
import { startServerProcess } from './server-process.ts'
import { startApp } from './setup.ts'

// `npm run proof -- R1` kills 200 times, with 100,000 runs in the file.
test('keeps all acknowledged writes, their events and an intact file after kill -9 under load', async () => {
  const file = join(mkdtempSync(join(inject('scratchFolder'), 'kill-')), 'millrace.db')
  const port = await freePort()
  const start = () => startServerProcess(`sqlite:${file}`, ['--no-services', '--port', String(port)])
  let server = await start()
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const { id: flowId } = await server.post('/flows/', { name: 'under fire' })
  const load = startFailoverLoad(server.url, { clients: 8, flowId })
  for (const changes of [30, 111, 270]) {
    await load.waitFor(changes)
    await server.kill('SIGKILL')
    server = await start()
  }
  await load.stop()
  await server.kill('SIGKILL')

  const database = new DatabaseSync(file)
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  database.close()
  const app = await startApp(`sqlite:${file}`)
  onTestFinished(() => app.close())
  expect(await findChangeProblems(app.context.reads, load.acknowledged, flowId)).toEqual(noProblems)
  expect(load.acknowledged.length).toBeGreaterThan(400)
}, 60_000)

test('the comparison reports a lost run, a lost state and a lost event', async () => {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
  onTestFinished(() => app.close())
  const flowId = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const run = (await app.call('POST', '/flow_runs/', { flow_id: flowId, idempotency_key: 'k', state: { type: 'PENDING' } })).body
  await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING', state_details: { transition_id: run.id } } })
  const acknowledged = [
    { kind: 'run', id: run.id, key: 'k' },
    { kind: 'state', runId: run.id, type: 'RUNNING', transitionId: run.id },
  ] as const
  const find = (changes: Parameters<typeof findChangeProblems>[1]) => findChangeProblems(app.context.reads, changes, flowId)
  expect(await find(acknowledged)).toEqual(noProblems)
  const other = '0198c1c2-aaaa-7bbb-8ccc-000000000001'
  expect(await find([{ ...acknowledged[0], id: other }])).toEqual({ ...noProblems, lostRuns: 1 })
  expect(await find([{ ...acknowledged[1], transitionId: other }])).toEqual({ ...noProblems, lostStates: 1 })
  await app.context.commands.submit((tx) => tx.run({ text: () => `delete from event where event = 'prefect.flow-run.Running'` }))
  expect(await find(acknowledged)).toEqual({ ...noProblems, missingEvents: 1 })
})
