import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const keys = { schema: 'ask-schema', response: 'ask-response' }

async function createPausedRun(app: TestApp, state_details: object = {}): Promise<string> {
  const flow = await app.call('POST', '/flows/', { name: 'a flow' })
  const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, state: { type: 'RUNNING' } })).body
  await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PAUSED', state_details } })
  return id
}

async function createRunAwaitingInput(app: TestApp, schema?: string): Promise<string> {
  const id = await createPausedRun(app, { run_input_keyset: keys })
  if (schema !== undefined) await app.call('POST', `/flow_runs/${id}/input`, { key: 'ask-schema', value: schema })
  return id
}

const resume = (app: TestApp, id: string, body: object | string = {}) => app.call('POST', `/flow_runs/${id}/resume`, body)

const ageSchema = '{"type": "object", "properties": {"age": {"type": "integer"}, "note": {"type": "string"}}, "required": ["age"]}'

eachDialect('POST /flow_runs/:id/resume', (setup) => {
  test('resumes a paused run immediately with one event', async () => {
    const app = await setup()
    const id = await createPausedRun(app)
    expect(await resume(app, id)).toMatchObject({ status: 201, body: { status: 'ACCEPT', state: { type: 'RUNNING', name: 'Running' } } })
    expect((await app.eventNames()).slice(-2)).toEqual(['prefect.flow-run.Paused', 'prefect.flow-run.Running'])
  })

  test('pauses again, without the input of the earlier attempt, after a blocking pause became Scheduled', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body
    const setState = async (state: object) => (await app.call('POST', `/flow_runs/${id}/set_state`, { state })).body
    const pause = () => setState({ type: 'PAUSED', state_details: { pause_key: 'p', run_input_keyset: keys } })
    expect((await pause()).status).toBe('ACCEPT')
    for (const key of ['ask-schema', 'ask-response', 'other']) await app.call('POST', `/flow_runs/${id}/input`, { key, value: '{}' })
    // Within the attempt the same pause is passed, with its input.
    await setState({ type: 'RUNNING' })
    expect((await pause()).status).toBe('REJECT')
    expect((await app.call('GET', `/flow_runs/${id}/input/ask-response`)).status).toBe(200)

    expect((await setState({ type: 'PAUSED', state_details: { pause_key: 'q' } })).status).toBe('ACCEPT')
    expect((await setState({ type: 'SCHEDULED' })).status).toBe('ACCEPT')
    const { empirical_policy, run_count } = (await app.call('GET', `/flow_runs/${id}`)).body
    expect(empirical_policy).toMatchObject({ resuming: false, pause_keys: [], retry_type: 'reschedule' })
    await setState({ type: 'PENDING' })
    await setState({ type: 'RUNNING' })
    expect((await app.call('GET', `/flow_runs/${id}`)).body.run_count).toBe(run_count + 1)
    expect((await pause()).status).toBe('ACCEPT')
    expect((await app.call('POST', `/flow_runs/${id}/input/filter`, { prefix: '' })).body.map(({ key }: { key: string }) => key)).toEqual(['other'])
  })

  test('does not change a run that is not paused', async () => {
    const app = await setup()
    const id = await createPausedRun(app)
    const answers = await Promise.all([resume(app, id), resume(app, id), resume(app, id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    const refused = answers.find(({ status }) => status === 200)
    expect(refused?.body).toMatchObject({ state: null, status: 'ABORT', details: { type: 'abort_details', reason: expect.any(String) } })
    expect((await app.call('GET', `/flow_run_states/?flow_run_id=${id}`)).body).toHaveLength(3)
    expect((await resume(app, '00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })

  test('checks the input against its schema and stores it', async () => {
    const app = await setup()
    const id = await createRunAwaitingInput(app, ageSchema)
    const refusals = [{ run_input: { age: 'old' } }, {}, { run_input: { age: 3, note: 5 } }]
    for (const body of refusals) {
      const answer = await resume(app, id, body)
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'REJECT', state: { type: 'PAUSED' }, details: { type: 'abort_details', reason: expect.stringContaining('schema') } },
      })
    }
    expect((await app.call('GET', `/flow_runs/${id}/input/ask-response`)).status).toBe(404)
    expect(await resume(app, id, '{"run_input": {"note": null, "age": 12345678901234567890}}')).toMatchObject({
      status: 201,
      body: { status: 'ACCEPT' },
    })
    expect((await app.server.inject(`/flow_runs/${id}/input/ask-response`)).body).toBe('{"note": null, "age": 12345678901234567890}')
  })

  test.each([
    ['is missing', undefined, 'not found'],
    ['is not JSON', '{', 'not a JSON object'],
    ['is not an object', 'null', 'not a JSON object'],
    ['refers to another server', '{"$ref": "http://127.0.0.1:1/schema.json"}', 'schema'],
    ['refers to itself', '{"$ref": "#"}', 'schema'],
  ])('keeps the run paused if the schema %s', async (_name, schema, reason) => {
    const app = await setup()
    const id = await createRunAwaitingInput(app, schema)
    expect(await resume(app, id, { run_input: { age: 3 } })).toMatchObject({
      status: 200,
      body: { status: 'REJECT', details: { reason: expect.stringContaining(reason) } },
    })
    expect((await app.call('GET', `/flow_runs/${id}`)).body.state_type).toBe('PAUSED')
  })

  test('replaces placeholders in the input first', async () => {
    const app = await setup()
    await app.call('POST', '/variables/', { name: 'age', value: 42 })
    const from = (variable_name: string) => ({
      run_input: { age: { __prefect_kind: 'workspace_variable', variable_name }, note: { __prefect_kind: 'json', value: '"hi"' } },
    })
    const id = await createRunAwaitingInput(app, ageSchema)
    expect(await resume(app, id, from('nobody'))).toMatchObject({
      status: 200,
      body: { status: 'REJECT', details: { reason: expect.stringContaining('nobody') } },
    })
    expect((await resume(app, id, from('age'))).status).toBe(201)
    expect((await app.call('GET', `/flow_runs/${id}/input/ask-response`)).body).toEqual({ age: 42, note: 'hi' })
  })

  test('rolls back if the input exists already', async () => {
    const app = await setup()
    const id = await createRunAwaitingInput(app, ageSchema)
    await app.call('POST', `/flow_runs/${id}/input`, { key: 'ask-response', value: 'first' })
    expect((await resume(app, id, { run_input: { age: 3 } })).status).toBe(409)
    expect((await app.call('GET', `/flow_runs/${id}`)).body.state_type).toBe('PAUSED')
    expect((await app.eventNames()).at(-1)).toBe('prefect.flow-run.Paused')
  })
})

eachDialect('inputs of flow runs', (setup) => {
  test('are read by key and listed by key prefix, oldest first', async () => {
    const app = await setup()
    const id = await createPausedRun(app)
    for (const [key, value] of [
      ['b-1', 'x'],
      ['a-2', '{"n": 1.0}'],
      ['a-1', ''],
    ]) {
      expect((await app.call('POST', `/flow_runs/${id}/input`, { key, value, sender: 'me' })).status).toBe(201)
    }
    expect((await app.call('POST', `/flow_runs/${id}/input`, { key: 'a-1', value: 'again' })).status).toBe(409)
    const found = async (body: object) => (await app.call('POST', `/flow_runs/${id}/input/filter`, body)).body.map(({ key }: { key: string }) => key)
    expect(await found({ prefix: 'a' })).toEqual(['a-2'])
    expect(await found({ prefix: 'a-', limit: 10 })).toEqual(['a-2', 'a-1'])
    expect(await found({ prefix: '', limit: 10, exclude_keys: ['a-2'] })).toEqual(['b-1', 'a-1'])
    expect(await found({ prefix: '%-1', limit: 10 })).toEqual(['b-1', 'a-1'])
    expect(await found({ prefix: 'A%1', limit: 10 })).toEqual(['a-1'])
    expect(await found({ prefix: 'A_', limit: 10 })).toEqual([])

    const value = await app.server.inject(`/flow_runs/${id}/input/a-2`)
    expect([value.body, value.headers['content-type']]).toEqual(['{"n": 1.0}', 'text/plain; charset=utf-8'])
    expect((await app.call('DELETE', `/flow_runs/${id}/input/a-2`)).status).toBe(204)
    expect((await app.call('DELETE', `/flow_runs/${id}/input/a-2`)).status).toBe(404)
    expect((await app.call('GET', `/flow_runs/${id}/input/a-2`)).status).toBe(404)
    expect((await app.call('POST', '/flow_runs/00000000-0000-4000-8000-000000000000/input', { key: 'k', value: 'v' })).status).toBe(404)
    expect((await app.call('POST', `/flow_runs/${id}/input`, { key: 'Not a key', value: 'v' })).status).toBe(422)
  })
})
