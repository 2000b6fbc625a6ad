import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const list = async (app: TestApp, query = '') =>
  (await app.call('GET', `/observed-states${query}`)).body.map(({ state_type, state_name }: Record<string, string>) => `${state_type} ${state_name}`)

eachDialect('observed states', (setup) => {
  async function createRuns(app: TestApp) {
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const run = (await app.call('POST', '/flow_runs/', { flow_id })).body
    const task = (await app.call('POST', '/task_runs/', { flow_run_id: run.id, task_key: 't', dynamic_key: '0' })).body
    for (const state of [{ type: 'RUNNING' }, { type: 'RUNNING', name: 'Reading 50% of a_b' }, { type: 'COMPLETED', name: 'Reading' }]) {
      app.clock.advance(60)
      await app.call('POST', `/flow_runs/${run.id}/set_state`, { state, force: true })
    }
    app.clock.advance(60)
    await app.call('POST', `/task_runs/${task.id}/set_state`, { state: { type: 'FAILED', name: 'Reading' }, force: true })
    return run
  }

  test('lists the states that runs had, the last one first, with the times of the transitions', async () => {
    const app = await setup()
    expect(await list(app)).toEqual([])
    const run = await createRuns(app)
    expect(await list(app)).toEqual(['FAILED Reading', 'COMPLETED Reading', 'RUNNING Reading 50% of a_b', 'RUNNING Running', 'PENDING Pending'])
    const states = (await app.call('GET', `/flow_run_states/?flow_run_id=${run.id}`)).body
    const [, completed, , , pending] = (await app.call('GET', '/observed-states')).body
    expect(completed).toEqual({ state_type: 'COMPLETED', state_name: 'Reading', first_seen: states[3].timestamp, last_seen: states[3].timestamp })
    // The first one is of the flow run, the last one of the task run.
    expect(pending.first_seen).toBe(states[0].timestamp)
    expect(pending.last_seen > pending.first_seen).toBe(true)
  })

  test('searches by the beginning of a name or type, without wildcards', async () => {
    const app = await setup()
    await createRuns(app)
    expect(await list(app, '?query=%20reading%205')).toEqual(['RUNNING Reading 50% of a_b'])
    expect(await list(app, '?query=comp')).toEqual(['COMPLETED Reading'])
    expect(await list(app, '?query=%25')).toEqual([])
    expect(await list(app, '?query=eading')).toEqual([])
    expect(await list(app, '?query=reading&order_by=NAME_ASC&limit=2')).toEqual(['COMPLETED Reading', 'FAILED Reading'])
  })

  test('rejects a long search, an unknown order and a limit out of range', async () => {
    const app = await setup()
    for (const [query, name] of [
      [`query=${'x'.repeat(101)}`, 'query'],
      ['order_by=OLDEST', 'order_by'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
    ]) {
      expect(await app.call('GET', `/observed-states?${query}`)).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', name] }] } })
    }
  })

  test('answers requests that wait for one another with all states that were written before them', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING', name: `Step ${n}` } })
        return [`RUNNING Step ${n}`, await list(app, '?query=step')]
      }),
    )
    for (const [name, found] of answers) expect(found).toContain(name)
  })
})
