import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('DELETE /task_runs/:id', (setup) => {
  test('takes the logs of the task run, and leaves those of its flow run and of other tasks', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const flow_run_id = (await app.call('POST', '/flow_runs/', { flow_id })).body.id
    const task = async (dynamic_key: string) => (await app.call('POST', '/task_runs/', { task_key: 't', dynamic_key, flow_run_id })).body.id
    const [gone, kept] = [await task('0'), await task('1')]
    const line = (message: string, task_run_id: string | null) => ({
      name: 'l',
      level: 20,
      timestamp: '2026-01-01T00:00:00Z',
      message,
      flow_run_id,
      task_run_id,
    })
    await app.call('POST', '/logs/', [line('of the run', null), line('gone', gone), line('kept', kept)])
    expect((await app.call('DELETE', `/task_runs/${gone}`)).status).toBe(204)
    const left = (await app.call('POST', '/logs/filter', { logs: { flow_run_id: { any_: [flow_run_id] } } })).body
    expect(left.map(({ message }: { message: string }) => message).sort()).toEqual(['kept', 'of the run'])
    expect((await app.call('DELETE', `/task_runs/${gone}`)).status).toBe(404)
  })
})
