import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const run = '11111111-0000-4000-8000-000000000000'
const task = '33333333-0000-4000-8000-000000000000'

const create = async (app: TestApp, body: object | string): Promise<string> => {
  const answer = await app.call('POST', '/artifacts/', body)
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function keys(app: TestApp, body: object): Promise<(string | null)[]> {
  return (await app.call('POST', '/artifacts/filter', body)).body.map(({ key }: { key: string | null }) => key)
}

eachDialect('artifacts', (setup) => {
  test('have a collection with its own id that follows the latest of a key', async () => {
    const app = await setup()
    const one = await create(app, { key: 'report', type: 'markdown', data: 'one', description: 'd', flow_run_id: run, task_run_id: task })
    const collection = (await app.call('GET', '/artifacts/report/latest')).body
    expect(collection).toMatchObject({ key: 'report', data: 'one' })
    expect(collection.id).not.toBe(one)

    const two = await create(app, { key: 'report', type: 'markdown', data: 'two' })
    const list = async () => (await app.call('POST', '/artifacts/latest/filter', {})).body
    expect(await list()).toMatchObject([{ id: collection.id, latest_id: two, data: 'two', description: null, flow_run_id: null }])

    expect((await app.call('PATCH', `/artifacts/${one}`, { data: 'one, changed' })).status).toBe(204)
    expect(await list()).toMatchObject([{ latest_id: two, data: 'two' }])
    expect((await app.call('PATCH', `/artifacts/${two}`, { description: 'late', metadata_: { a: 'b' } })).status).toBe(204)
    expect(await list()).toMatchObject([{ latest_id: two, data: 'two', description: 'late', metadata_: { a: 'b' } }])

    expect((await app.call('DELETE', `/artifacts/${two}`)).status).toBe(204)
    expect(await list()).toMatchObject([{ id: collection.id, latest_id: one, data: 'one, changed', flow_run_id: run }])
    expect((await app.call('DELETE', `/artifacts/${one}`)).status).toBe(204)
    expect(await list()).toEqual([])
    expect((await app.call('GET', '/artifacts/report/latest')).status).toBe(404)
    expect((await app.call('DELETE', `/artifacts/${one}`)).status).toBe(404)
    expect((await app.call('PATCH', `/artifacts/${one}`, { data: 1 })).status).toBe(404)
  })

  test('are made of the result that a flow run keeps', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const startRun = async (state: object) => (await app.call('POST', '/flow_runs/', { flow_id, state })).body.id as string
    const end = (id: string, data: unknown, type = 'COMPLETED') => app.call('POST', `/flow_runs/${id}/set_state`, { state: { type, data } })
    const body = '{"storage_key":"/results/1.0","expiration":null,"size":12345678901234567890}'
    const kept = await startRun({ type: 'RUNNING' })
    await app.call('POST', `/flow_runs/${kept}/set_state`, `{"state":{"type":"COMPLETED","data":${body}}}`)
    const unpersisted = await startRun({ type: 'RUNNING' })
    await end(unpersisted, { type: 'unpersisted' })
    const empty = await startRun({ type: 'RUNNING' })
    await end(empty, null)
    const failed = await startRun({ type: 'RUNNING' })
    await end(failed, { storage_key: 'error' }, 'FAILED')
    const imported = await startRun({ type: 'COMPLETED', data: 'made with its result' })

    const found = (await app.call('POST', '/artifacts/filter', { sort: 'CREATED_DESC' })).body
    const none = { key: null, type: null, description: null, metadata_: null, task_run_id: null }
    expect(found).toMatchObject([
      { ...none, flow_run_id: imported, data: 'made with its result' },
      { ...none, flow_run_id: failed, data: { storage_key: 'error' } },
      { ...none, flow_run_id: kept, data: { storage_key: '/results/1.0' } },
    ])
    expect((await app.server.inject({ url: `/artifacts/${found[2].id}` })).body).toContain(`"data":${body}`)
    // Lists of what users publish leave results out.
    expect((await app.call('POST', '/artifacts/latest/filter', {})).body).toEqual([])
    expect(await keys(app, { artifacts: { type: { not_any_: ['result'] } } })).toEqual([])
    expect((await app.call('GET', `/flow_runs/${kept}/graph-v2`)).body.artifacts).toEqual([])
  })

  test('emit events of the key, not of single artifacts', async () => {
    const app = await setup()
    const one = await create(app, { key: 'report', type: 'markdown', data: 'one', description: 'd', flow_run_id: run, task_run_id: task })
    const two = await create(app, { key: 'report', type: 'table', data: [1] })
    await app.call('PATCH', `/artifacts/${two}`, { data: 2 })
    await app.call('DELETE', `/artifacts/${two}`)
    await app.call('DELETE', `/artifacts/${one}`)
    await app.call('DELETE', `/artifacts/${await create(app, { type: 'markdown' })}`)

    const { id } = await app.context.reads.kysely.selectFrom('event').select('resource_id as id').executeTakeFirstOrThrow()
    const events = await app.context.reads.kysely.selectFrom('event').selectAll().orderBy('position').execute()
    expect(events.map(({ event }) => event)).toEqual(
      ['created', 'updated', 'updated', 'deleted'].map((what) => `prefect.artifact-collection.${what}`),
    )
    expect(events.every(({ resource_id }) => resource_id === id)).toBe(true)
    const roles = events.map(({ related }) => (JSON.parse(related) as Record<string, string>[]).map((labels) => labels['prefect.resource.id']))
    expect(roles).toEqual([
      [`prefect.artifact.${one}`, `prefect.flow-run.${run}`, `prefect.task-run.${task}`],
      [`prefect.artifact.${two}`],
      [`prefect.artifact.${one}`, `prefect.flow-run.${run}`, `prefect.task-run.${task}`],
      [`prefect.artifact.${one}`, `prefect.flow-run.${run}`, `prefect.task-run.${task}`],
    ])
    expect(JSON.parse(events[1]!.payload)).toEqual({ key: 'report', type: 'table', data: [1], description: null })
  })

  test('created concurrently for one key share a collection with the later one as latest', async () => {
    const app = await setup()
    const ids = await Promise.all([create(app, { key: 'k', data: 1 }), create(app, { key: 'k', data: 2 }), create(app, { key: 'k', data: 3 })])
    const latest = (await app.call('POST', '/artifacts/latest/filter', {})).body
    expect(latest).toHaveLength(1)
    expect(ids).toContain(latest[0].latest_id)
    expect((await app.eventNames()).sort()).toEqual([
      'prefect.artifact-collection.created',
      'prefect.artifact-collection.updated',
      'prefect.artifact-collection.updated',
    ])
  })

  test('return the data that was sent and truncate metadata', async () => {
    const app = await setup()
    const id = await create(app, `{"data": {"b": 12345678901234567890, "a": 1.0}, "metadata_": {"long": "${'é'.repeat(600)}", "short": "x"}}`)
    const { body } = await app.server.inject(`/artifacts/${id}`)
    expect(body).toContain('"data":{"b": 12345678901234567890, "a": 1.0}')
    expect(JSON.parse(body).metadata_).toEqual({ long: `${'é'.repeat(500)}...`, short: 'x' })
    await app.call('PATCH', `/artifacts/${id}`, { data: null, metadata_: null })
    expect((await app.call('GET', `/artifacts/${id}`)).body).toMatchObject({ data: null, metadata_: null, description: null })
  })

  test('are filtered and sorted', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'a flow' })
    const mine = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, tags: ['red'] })).body.id
    const its = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: '0', name: 'a task', flow_run_id: mine })).body.id
    const a = await create(app, { key: 'alpha', type: 'markdown', flow_run_id: mine })
    await create(app, { key: 'b-Beta'.toLowerCase(), type: 'table', flow_run_id: mine, task_run_id: its })
    await create(app, { type: 'result', flow_run_id: run })

    expect(await keys(app, {})).toEqual([null, 'b-beta', 'alpha'])
    expect(await keys(app, { sort: 'KEY_ASC' })).toEqual([null, 'alpha', 'b-beta'])
    expect(await keys(app, { sort: 'KEY_DESC' })).toEqual(['b-beta', 'alpha', null])
    expect(await keys(app, { sort: 'CREATED_DESC', limit: 1, offset: 1 })).toEqual(['b-beta'])
    expect(await keys(app, { artifacts: { key: { exists_: false } } })).toEqual([null])
    expect(await keys(app, { artifacts: { key: { like_: 'BETA' } } })).toEqual(['b-beta'])
    expect(await keys(app, { artifacts: { type: { not_any_: ['table'] } } })).toEqual([null, 'alpha'])
    expect(await keys(app, { artifacts: { operator: 'or_', id: { any_: [a] }, task_run_id: { any_: [its] } } })).toEqual(['b-beta', 'alpha'])
    expect(await keys(app, { flow_runs: { tags: { all_: ['red'] } }, flows: { name: { any_: ['a flow'] } } })).toEqual(['b-beta', 'alpha'])
    expect(await keys(app, { task_runs: { name: { any_: ['a task'] } } })).toEqual(['b-beta'])
    expect((await app.call('POST', '/artifacts/count', { flow_runs: { id: { any_: [mine] } } })).body).toBe(2)
    expect((await app.call('POST', '/artifacts/latest/count', {})).body).toBe(2)
    expect((await app.call('POST', '/artifacts/latest/filter', { artifacts: { latest_id: { any_: [a] } } })).body).toMatchObject([{ key: 'alpha' }])
  })
})
