import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

eachDialect('task runs', (setup) => {
  test('returns the existing task run for the same keys in a flow run', async () => {
    const app = await setup()
    const flow_run_id = await flowRun(app)
    const made = await create(app, { flow_run_id, name: 'first', tags: ['t'] })
    expect(made).toMatchObject({ status: 201, body: { name: 'first', task_key: 'k', dynamic_key: '0', state_type: 'PENDING' } })
    expect(await create(app, { flow_run_id, name: 'second' })).toMatchObject({ status: 200, body: { id: made.body.id, name: 'first', tags: ['t'] } })
    expect((await create(app, { flow_run_id: await flowRun(app) })).status).toBe(201)
    expect((await app.call('POST', '/task_runs/count', {})).body).toBe(2)
  })

  test('rejects an unknown flow run', async () => {
    const app = await setup()
    expect((await create(app, { flow_run_id: app.context.newId() })).status).toBe(409)
    expect((await app.call('POST', '/task_runs/count', {})).body).toBe(0)
  })

  test('keeps the id of the client and accepts it once', async () => {
    const app = await setup()
    const [id, flow_run_id] = [app.context.newId(), await flowRun(app)]
    expect((await create(app, { id, flow_run_id })).body.id).toBe(id)
    expect((await create(app, { id, flow_run_id, dynamic_key: '1' })).status).toBe(409)
  })

  test('lists the last failures by their ends, page by page', async () => {
    const app = await setup()
    const flow_run_id = await flowRun(app)
    for (let n = 0; n < 7; n += 1) {
      const { id } = (await create(app, { flow_run_id, name: `task ${n}`, dynamic_key: `${n}` })).body
      await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' } })
      if (n < 6) await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: n % 2 === 0 ? 'FAILED' : 'COMPLETED' }, force: true })
    }
    const failed = async (limit: number, offset: number) => {
      const body = { task_runs: { state: { type: { any_: ['FAILED'] } } }, sort: 'END_TIME_DESC', limit, offset }
      return (await app.call('POST', '/task_runs/filter', body)).body.map(({ name }: { name: string }) => name)
    }
    expect([await failed(2, 0), await failed(2, 2), await failed(1, 1), await failed(0, 0), await failed(10, 0)]).toEqual([
      ['task 4', 'task 2'],
      ['task 0'],
      ['task 2'],
      [],
      ['task 4', 'task 2', 'task 0'],
    ])
  })

  test('lists task runs of several states by their ends, unfinished ones last', async () => {
    const app = await setup()
    const flow_run_id = await flowRun(app)
    const states = [
      ['COMPLETED', 'Completed'],
      ['COMPLETED', 'Cached'],
      ['FAILED', 'Failed'],
      ['CRASHED', 'Crashed'],
      ['CANCELLED', 'Cancelled'],
      ['RUNNING', 'Running'],
    ] as const
    const made: { readonly name: string; readonly type: string; readonly state: string }[] = []
    for (let n = 0; n < 18; n += 1) {
      const [type, state] = states[(n * 5) % states.length] as (typeof states)[number]
      const { id } = (await create(app, { flow_run_id, name: `task ${n}`, dynamic_key: `${n}` })).body
      app.clock.advance(1)
      await app.call('POST', `/task_runs/${id}/set_state`, { state: { type, name: state }, force: true })
      made.unshift({ name: `task ${n}`, type, state })
    }
    const isEnded = ({ type }: { type: string }) => type !== 'RUNNING'
    const byEnd = [...made.filter(isEnded), ...made.filter((task) => !isEnded(task))]
    for (const [state, matches] of [
      [{ type: { any_: ['FAILED', 'COMPLETED', 'RUNNING'] } }, (task) => ['FAILED', 'COMPLETED', 'RUNNING'].includes(task.type)],
      [{ type: { any_: states.map(([type]) => type) } }, () => true],
      [{ name: { any_: ['Cached', 'Crashed'] } }, (task) => task.state === 'Cached' || task.state === 'Crashed'],
      [{ type: { any_: ['PAUSED'] } }, () => false],
    ] as const satisfies [object, (task: (typeof made)[number]) => boolean][]) {
      const body = { task_runs: { state }, sort: 'END_TIME_DESC', limit: 7, offset: 2 }
      const listed = (await app.call('POST', '/task_runs/filter', body)).body.map(({ name }: { name: string }) => name)
      const wanted = byEnd.filter(matches).map(({ name }) => name)
      expect(listed).toEqual(wanted.slice(2, 9))
    }
  })

  test('returns the first response to a repeated failure and uses one retry', async () => {
    const app = await setup()
    const { id } = (
      await create(app, { flow_run_id: await flowRun(app), state: { type: 'RUNNING' }, empirical_policy: { retries: 1, retry_delay: 30 } })
    ).body
    const failure = { state: { type: 'FAILED', message: 'disk full', state_details: { transition_id: app.context.newId() } } }
    const propose = (body: object) => app.call('POST', `/task_runs/${id}/set_state`, body)
    const [first, same] = await Promise.all([propose(failure), propose(failure)])
    expect(first).toMatchObject({ status: 201, body: { status: 'REJECT', state: { name: 'AwaitingRetry' } } })
    expect([same?.status, same?.body]).toEqual([first?.status, first?.body])
    app.clock.advance(60)
    expect((await propose({ state: { type: 'RUNNING' } })).body.status).toBe('ACCEPT')
    const late = await propose(failure)
    expect([late.status, late.body]).toEqual([first?.status, first?.body])
    expect((await app.call('GET', `/task_runs/${id}`)).body).toMatchObject({ state_type: 'RUNNING', run_count: 2 })
  })

  test('renames a task run and generates a name for an empty one', async () => {
    const app = await setup()
    const { id, name } = (await create(app, { flow_run_id: await flowRun(app) })).body
    expect(name).not.toBe('')
    expect((await app.call('PATCH', `/task_runs/${id}`, { name: 'renamed' })).status).toBe(204)
    expect((await app.call('GET', `/task_runs/${id}`)).body.name).toBe('renamed')
    expect((await app.call('PATCH', `/task_runs/${app.context.newId()}`, { name: 'nobody' })).status).toBe(404)
  })

  test('counts attempts and sums the run time', async () => {
    const app = await setup()
    const flow_run_id = await flowRun(app)
    const { id } = (await create(app, { flow_run_id })).body
    const enter = (type: string) => app.call('POST', `/task_runs/${id}/set_state`, { state: { type } })
    await enter('PENDING')
    expect(await enter('RUNNING')).toMatchObject({ status: 201, body: { status: 'ACCEPT' } })
    app.clock.advance(60)
    await enter('COMPLETED')
    const { body } = await app.call('GET', `/task_runs/${id}`)
    expect(body).toMatchObject({ state_type: 'COMPLETED', run_count: 1 })
    expect(body.total_run_time).toBeCloseTo(60, 1)
  })

  test('filters, sorts, limits and paginates lists', async () => {
    const app = await setup()
    const flow_run_id = await flowRun(app)
    for (const [index, name] of ['c', 'a', 'b'].entries())
      await create(app, { flow_run_id, name, dynamic_key: String(index), tags: name === 'c' ? [] : ['t'] })
    const asked = { task_runs: { tags: { all_: ['t'] } }, sort: 'NAME_DESC' }
    expect((await app.call('POST', '/task_runs/filter', asked)).body.map(nameOf)).toEqual(['b', 'a'])
    const { body } = await app.call('POST', '/task_runs/paginate', { ...asked, limit: 1, page: 2 })
    expect(body).toMatchObject({ results: [{ name: 'a' }], count: 2, pages: 2, page: 2, limit: 1 })
  })
})

const nameOf = ({ name }: { name: string }): string => name

const create = (app: TestApp, body: object) => app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: '0', ...body })

/** A running flow run, which task runs need. */
async function flowRun(app: TestApp): Promise<string> {
  const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'f' })).body
  return (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body.id
}

eachDialect('DELETE /task_runs/:id', (setup) => {
  test.each([
    [{}, ['a', 'b', 'loose']],
    [{ operator: 'or_' }, ['a', 'b', 'loose']],
    [{ is_null_: null }, ['a', 'b', 'loose']],
    [{ is_null_: false }, ['a', 'b']],
    [{ is_null_: true }, ['loose']],
    [{ any_: ['A'] }, ['a']],
    [{ any_: ['A'], is_null_: false }, ['a']],
    [{ any_: ['A'], is_null_: true }, []],
    [{ operator: 'or_', any_: ['A'], is_null_: true }, ['a', 'loose']],
    [{ operator: 'or_', any_: ['A'], is_null_: false }, ['a', 'b']],
    [{ any_: [] }, []],
  ])('matches the flow run by %o', async (criteria, names) => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const runs = { A: (await app.call('POST', '/flow_runs/', { flow_id })).body.id, B: (await app.call('POST', '/flow_runs/', { flow_id })).body.id }
    for (const [name, flow_run_id] of [
      ['a', runs.A],
      ['b', runs.B],
      ['loose', null],
    ]) {
      await app.call('POST', '/task_runs/', { name, flow_run_id, task_key: name, dynamic_key: '0' })
    }
    const filter = { ...criteria, ...('any_' in criteria && { any_: criteria.any_.map(() => runs.A) }) }
    const task_runs = { flow_run_id: filter }
    const found = (await app.call('POST', '/task_runs/filter', { task_runs, sort: 'NAME_ASC' })).body
    expect(found.map(({ name }: { name: string }) => name)).toEqual(names)
    expect((await app.call('POST', '/task_runs/count', { task_runs })).body).toBe(names.length)
    // Searches by name have their own path, except among the task runs of given flow runs.
    const searched = (await app.call('POST', '/task_runs/filter', { task_runs: { ...task_runs, name: { like_: '%o%' } } })).body
    expect(searched.map(({ name }: { name: string }) => name)).toEqual(names.filter((name) => name.includes('o')))
  })

  test('sorts by duration, in which a running task grows', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const flow_run_id = (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body.id
    const create = async (name: string) => (await app.call('POST', '/task_runs/', { name, flow_run_id, task_key: name, dynamic_key: '0' })).body.id
    const set = (id: string, type: string) => app.call('POST', `/task_runs/${id}/set_state`, { state: { type }, force: true })
    for (const [name, seconds] of [
      ['ten', 10],
      ['thirty', 30],
    ] as const) {
      const id = await create(name)
      await set(id, 'RUNNING')
      app.clock.advance(seconds)
      await set(id, 'COMPLETED')
    }
    await set(await create('running'), 'RUNNING')
    await create('waiting')
    const names = async (sort: string, more: object = {}) =>
      (await app.call('POST', '/task_runs/filter', { sort, ...more })).body.map(({ name }: { name: string }) => name)
    app.clock.advance(20)
    expect(await names('DURATION_DESC')).toEqual(['thirty', 'running', 'ten', 'waiting'])
    expect(await names('DURATION_ASC')).toEqual(['waiting', 'ten', 'running', 'thirty'])
    app.clock.advance(20)
    const ofRun = { flow_runs: { id: { any_: [flow_run_id] } } }
    expect(await names('DURATION_DESC', { ...ofRun, limit: 2 })).toEqual(['running', 'thirty'])
    expect(await names('DURATION_DESC', { offset: 1, limit: 2 })).toEqual(['thirty', 'ten'])
    expect(await names('DURATION_DESC', { task_runs: { name: { like_: 'n' } } })).toEqual(['running', 'ten', 'waiting'])
    expect(await names('DURATION_ASC', { task_runs: { state: { type: { any_: ['COMPLETED', 'RUNNING'] } } } })).toEqual(['ten', 'thirty', 'running'])
    const page = (await app.call('POST', '/task_runs/paginate', { sort: 'DURATION_DESC', page: 2, limit: 3 })).body
    expect(page).toMatchObject({ results: [{ name: 'waiting' }], count: 4 })
  })

  test('deletes the logs of the task run and keeps those of its flow run and of other tasks', async () => {
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
