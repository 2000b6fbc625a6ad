import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'

eachDialect('clients up to 3.3.7', (setup) => {
  test.each([
    ['prefect/3.0.0 (API 0.8.4)', false],
    ['prefect/3.3.7 (API 0.8.4)', false],
    ['prefect/3.3.8 (API 0.8.4)', true],
    ['prefect/3.10.0 (API 0.8.4)', true],
    ['curl/8.0', true],
  ])('%s hears of where results are stored: %s', async (agent, hears) => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    const headers = { 'user-agent': agent, 'content-type': 'application/json' }
    const one = await app.server.inject({ url: '/api/work_pools/mill', headers })
    const [first] = (await app.server.inject({ method: 'POST', url: '/work_pools/filter', headers, payload: '{}' })).json()
    expect('default_result_storage_block_id' in one.json().storage_configuration).toBe(hears)
    expect(first).toEqual(one.json())
    expect(Object.keys(first.storage_configuration)).toContain('bundle_execution_step')
  })

  test('who has no queue does not mention one', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'f' })
    const { id } = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow.body.id })).body
    const read = async (agent: string) => (await app.server.inject({ url: `/api/deployments/${id}`, headers: { 'user-agent': agent } })).json()
    const [old, today] = [await read('prefect/3.0.0 (API 0.8.4)'), await read('prefect/3.8.8 (API 0.8.4)')]
    expect(today.work_queue_id).toBeNull()
    expect({ ...old, work_queue_id: null }).toEqual(today)
    expect('work_queue_id' in old).toBe(false)
  })
})
