import { expect, test } from 'vitest'
import { proofSize } from '../proof-size.ts'
import { eachDialect } from '../setup.ts'
import { startInMemoryApp } from './in-memory-app.ts'

const large = 'é'.repeat(50_000)

eachDialect('lists of large rows', (setup) => {
  test('return every value as it was sent, large or small', async () => {
    const app = await setup()
    const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
    const text = `{"b":1.0,"a":"${large}"}`
    const artifact = (key: string, data: string) => app.call('POST', '/artifacts/', `{"key":"${key}","description":"${key} ${large}","data":${data}}`)
    await artifact('k1', text)
    await artifact('k2', '[1.0]')
    await artifact('k3', 'null')
    for (const path of ['/artifacts/filter', '/artifacts/latest/filter']) {
      const answer = await app.server.inject({ method: 'POST', url: path, payload: { sort: 'KEY_ASC' } })
      expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([path, 200, 'application/json'])
      expect(answer.body).toContain(`"data":${text}`)
      expect(answer.body).toContain('"data":[1.0]')
      expect(JSON.parse(answer.body)).toMatchObject([
        { key: 'k1', description: `k1 ${large}`, data: { a: large, b: 1 } },
        { key: 'k2', description: `k2 ${large}`, data: [1] },
        { key: 'k3', description: `k3 ${large}`, data: null },
      ])
    }

    const state = { type: 'COMPLETED', message: `done ${large}`, data: { large } }
    await app.call('POST', '/flow_runs/', { flow_id: flow.id, name: 'r', parameters: { large }, job_variables: { large }, state })
    await app.call('POST', '/flow_runs/', { flow_id: flow.id, name: 's', parameters: { small: 1 } })
    const { body: runs } = await app.call('POST', '/flow_runs/filter', { sort: 'NAME_ASC' })
    expect(runs).toMatchObject([
      { name: 'r', parameters: { large }, job_variables: { large }, state },
      { name: 's', parameters: { small: 1 } },
    ])
    const { body: page } = await app.call('POST', '/flow_runs/paginate', { sort: 'NAME_ASC', limit: 1 })
    expect(page).toMatchObject({ count: 2, results: [{ name: 'r', parameters: { large } }] })

    await app.call('POST', `/flow_runs/${runs[0].id}/input`, { key: 'k', value: large })
    expect((await app.call('POST', `/flow_runs/${runs[0].id}/input/filter`, { prefix: '' })).body).toMatchObject([{ key: 'k', value: large }])

    await app.call('POST', '/task_runs/', { flow_run_id: runs[0].id, task_key: 't', dynamic_key: '0', state })
    expect((await app.call('POST', '/task_runs/filter', {})).body).toMatchObject([{ task_key: 't', state }])

    const { body: events } = await app.call('POST', '/events/filter', {
      filter: { event: { prefix: ['prefect.artifact-collection'] }, order: 'ASC' },
    })
    expect(events.events.map(({ payload }: { payload: object }) => payload)).toMatchObject([{ data: { a: large } }, { data: [1] }, { data: null }])
  })
})

test('streams a page of large rows while they are read', { timeout: 600_000 }, async () => {
  const app = await startInMemoryApp()
  const count = proofSize(4, 36)
  const data = 'x'.repeat(proofSize(1_000_000, 15_000_000))
  for (let made = 0; made < count; made += 1) expect((await app.call('POST', '/artifacts/', `{"data":"${data}"}`)).status).toBe(201)
  const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${url}/artifacts/filter`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-length')).toBe(null)
  let bytes = 0
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) bytes += chunk.length
  expect(bytes).toBeGreaterThan(count * data.length)
})
