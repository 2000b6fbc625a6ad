import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { automate, react, replica, said, send, settle, uuid } from '../../test/automations.ts'
import { makeBlockKind } from '../../test/blocks.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { act } from './act.ts'
import { readWaiting } from './invocations.ts'

async function deployed(app: TestApp, more: object = {}) {
  const flow: string = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const { id: pool, default_queue_id: queue } = (await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })).body
  const deployment: string = (
    await app.call('POST', '/deployments/', { name: 'dep', flow_id: flow, work_pool_name: 'mill', parameters: { kept: 1 }, ...more })
  ).body.id
  return { flow, pool, queue, deployment }
}

/** A run in a state, told by an event that names it. */
async function runIn(app: TestApp, type: string, more: object = {}) {
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const run: string = (await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type }, ...more })).body.id
  const state = async () => (await app.call('GET', `/flow_runs/${run}`)).body.state
  return { run, state, event: { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } } }
}

const outcome = async (app: TestApp, id: string) => {
  const [last] = await said(app, id, 'action.executed', 'action.failed')
  return (
    last && {
      outcome: last.event.split('.').at(-1),
      targets: last.related.filter((one) => one['prefect.resource.role'] === 'target'),
      ...last.payload,
    }
  )
}

eachDialect('pausing and resuming', (setup) => {
  test('deployments, pools and queues, named or found in the event', async () => {
    const app = await setup()
    const { deployment, pool, queue } = await deployed(app)
    const off = await automate(app, react('off'), [
      { type: 'pause-deployment', source: 'selected', deployment_id: deployment },
      { type: 'pause-work-pool', source: 'selected', work_pool_id: pool },
      { type: 'pause-work-queue', source: 'selected', work_queue_id: queue },
    ])
    const on = await automate(app, react('on'), [
      { type: 'resume-deployment', source: 'inferred' },
      { type: 'resume-work-pool', source: 'inferred' },
      { type: 'resume-work-queue', source: 'inferred' },
    ])
    const paused = async () => [
      (await app.call('GET', `/deployments/${deployment}`)).body.paused,
      (await app.call('GET', '/work_pools/mill')).body.is_paused,
      (await app.call('GET', `/work_queues/${queue}`)).body.is_paused,
    ]
    await send(app, 'off')
    expect(await settle(app)).toMatchObject({ executed: 3, failed: 0 })
    expect(await paused()).toEqual([true, true, true])
    expect((await said(app, off, 'action.executed')).map(({ payload }) => [payload.action_index, payload.status_code])).toEqual([
      [0, 200],
      [1, 204],
      [2, 204],
    ])
    await send(app, 'on', {
      resource: { 'prefect.resource.id': `prefect.deployment.${deployment}` },
      related: [
        { 'prefect.resource.id': `prefect.work-pool.${pool}`, 'prefect.resource.role': 'work-pool' },
        { 'prefect.resource.id': `prefect.work-queue.${queue}`, 'prefect.resource.role': 'work-queue' },
      ],
    })
    expect(await settle(app)).toMatchObject({ executed: 3, failed: 0 })
    expect(await paused()).toEqual([false, false, false])
    expect((await said(app, on, 'action.executed'))[1]?.related[0]).toEqual({
      'prefect.resource.id': `prefect.work-pool.${pool}`,
      'prefect.resource.role': 'target',
      'prefect.resource.name': 'mill',
    })
  })

  test('automations, itself included', async () => {
    const app = await setup()
    const other = await automate(app, react('x'))
    const id = await automate(app, react('sleep'), [
      { type: 'pause-automation', source: 'selected', automation_id: other },
      { type: 'pause-automation', source: 'inferred' },
    ])
    await send(app, 'sleep', { resource: { 'prefect.resource.id': `prefect.automation.${id}` } })
    expect(await settle(app)).toMatchObject({ executed: 2 })
    expect((await app.call('GET', `/automations/${other}`)).body.enabled).toBe(false)
    expect((await app.call('GET', `/automations/${id}`)).body.enabled).toBe(false)
    await automate(app, react('wake'), [{ type: 'resume-automation', source: 'selected', automation_id: other }])
    await send(app, 'wake')
    await settle(app)
    expect((await app.call('GET', `/automations/${other}`)).body.enabled).toBe(true)
  })

  test('fail when there is nothing to pause', async () => {
    const app = await setup()
    const kinds = ['deployment', 'work-pool', 'work-queue', 'automation']
    const inferred = await automate(
      app,
      react('a'),
      kinds.map((kind) => ({ type: `pause-${kind}`, source: 'inferred' })),
    )
    const nobody = await automate(
      app,
      react('b'),
      kinds.map((kind) => ({ type: `resume-${kind}`, source: 'selected', [`${kind.replace('-', '_')}_id`]: uuid(1) })),
    )
    await send(app, 'a')
    await send(app, 'b')
    expect(await settle(app)).toMatchObject({ executed: 0, failed: 8 })
    expect((await said(app, inferred, 'action.failed')).map(({ payload }) => payload.reason)).toEqual([
      'The event names no deployment',
      'The event names no work pool',
      'The event names no work queue',
      'The event names no automation',
    ])
    expect((await said(app, nobody, 'action.failed')).map(({ payload }) => payload.status_code)).toEqual([404, undefined, 404, 404])
  })
})

eachDialect('steering flow runs', (setup) => {
  test('cancels', async () => {
    const app = await setup()
    const { event, state } = await runIn(app, 'RUNNING')
    const id = await automate(app, react('go'), [{ type: 'cancel-flow-run' }])
    await send(app, 'go', event)
    await settle(app)
    expect(await state()).toMatchObject({ type: 'CANCELLING', message: 'Cancelled by the automation "auto"' })
    expect(await outcome(app, id)).toMatchObject({
      outcome: 'executed',
      status_code: 201,
      targets: [{ 'prefect.resource.id': event.resource['prefect.resource.id'] }],
    })
  })

  test('a state that the rules put in its place stays, though the action failed', async () => {
    const app = await setup()
    const { event, state } = await runIn(app, 'SCHEDULED')
    const id = await automate(app, react('go'), [{ type: 'cancel-flow-run' }])
    await send(app, 'go', event)
    await settle(app)
    expect((await state()).type).toBe('CANCELLED')
    expect(await outcome(app, id)).toMatchObject({ outcome: 'failed', status_code: 201 })
  })

  test('changes the state, by force if told to', async () => {
    const app = await setup()
    const { event, state } = await runIn(app, 'COMPLETED', {})
    const plain = await automate(app, react('plain'), [{ type: 'change-flow-run-state', state: 'CRASHED', name: 'Judged', message: 'no good' }])
    const forced = await automate(app, react('forced'), [
      { type: 'change-flow-run-state', state: 'CRASHED', name: 'Judged', message: 'no good', force: true },
    ])
    await send(app, 'plain', event)
    await settle(app)
    expect((await state()).type).toBe('COMPLETED')
    expect(await outcome(app, plain)).toMatchObject({ outcome: 'failed', status_code: 200 })
    await send(app, 'forced', event)
    await settle(app)
    expect(await state()).toMatchObject({ type: 'CRASHED', name: 'Judged', message: 'no good' })
    expect(await outcome(app, forced)).toMatchObject({ outcome: 'executed' })
  })

  test('suspends for an hour, and resumes', async () => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const run = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, { state: { type: 'SCHEDULED' } })).body.id
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING' }, force: true })
    const event = { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } }
    await automate(app, react('wait'), [{ type: 'suspend-flow-run' }])
    await automate(app, react('go'), [{ type: 'resume-flow-run' }])
    await send(app, 'wait', event)
    expect(await settle(app)).toMatchObject({ executed: 1 })
    expect((await app.call('GET', `/flow_runs/${run}`)).body.state).toMatchObject({
      type: 'PAUSED',
      name: 'Suspended',
      state_details: { pause_reschedule: true, pause_timeout: expect.stringContaining('2030-01-01T01:00:00') },
    })
    await send(app, 'go', event)
    expect(await settle(app)).toMatchObject({ executed: 1 })
    expect((await app.call('GET', `/flow_runs/${run}`)).body.state).toMatchObject({ type: 'SCHEDULED', name: 'Resuming' })
    await send(app, 'go', event)
    expect(await settle(app)).toMatchObject({ failed: 1 })
  })

  test('deletes', async () => {
    const app = await setup()
    const { event, run } = await runIn(app, 'COMPLETED')
    const id = await automate(app, react('go'), [{ type: 'delete-flow-run' }, { type: 'delete-flow-run' }])
    await send(app, 'go', event)
    await settle(app)
    expect((await app.call('GET', `/flow_runs/${run}`)).status).toBe(404)
    expect((await said(app, id, 'action.executed', 'action.failed')).map(({ payload }) => payload.status_code)).toEqual([204, 404])
  })

  test('knows the run by the label that the trigger tells runs apart by', async () => {
    const app = await setup()
    const { run, state } = await runIn(app, 'RUNNING')
    await automate(app, react('beat', { posture: 'Proactive', within: 10, after: ['beat'], for_each: ['prefect.resource.id'] }), [
      { type: 'change-flow-run-state', state: 'CRASHED' },
    ])
    await send(app, 'beat', { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } })
    await settle(app)
    app.clock.advance(11)
    await settle(app)
    expect(await state()).toMatchObject({ type: 'CRASHED', message: 'State changed by the automation "auto"' })
  })

  test('fails without a run', async () => {
    const app = await setup()
    const id = await automate(
      app,
      react('go'),
      ['cancel', 'suspend', 'resume', 'delete'].map((verb) => ({ type: `${verb}-flow-run` })),
    )
    await send(app, 'go', { resource: { 'prefect.resource.id': 'prefect.flow-run.not-an-id' } })
    expect(await settle(app)).toMatchObject({ failed: 4 })
    expect((await said(app, id, 'action.failed')).every(({ payload, related }) => payload.reason.includes('flow run') && related.length === 2)).toBe(
      true,
    )
  })
})

eachDialect('running deployments', (setup) => {
  const runsOf = async (app: TestApp, deployment: string) =>
    (await app.call('POST', '/flow_runs/filter', { deployments: { id: { any_: [deployment] } }, sort: 'EXPECTED_START_TIME_ASC' })).body

  test('makes one run, as the automation, with what the templates say', async () => {
    const app = await setup()
    const { deployment, flow } = await deployed(app)
    await app.call('POST', '/variables/', { name: 'v', value: { deep: [7] } })
    const id = await automate(
      app,
      react('go'),
      [
        {
          type: 'run-deployment',
          source: 'selected',
          deployment_id: deployment,
          schedule_after: 90,
          parameters: {
            name: '{{ event.event }}',
            number: '{{ event.payload.n }}',
            sum: '{{ event.payload.n + 1 }}',
            whole: ' {{ event.payload }} ',
            text: 'n = {{ event.payload.n }}',
            list: [['{{ event.payload.list[1] }}'], 'plain'],
            flow: '{{ flow.name ~ "!" }}',
            same: '{{ flow.id == event.related[0].id.split(".")[2] }}',
            variable: '{{ variables.v.deep[0] }}',
            when: '{{ event.occurred.strftime("%Y") }}',
            time: '{{ event.occurred }}',
            link: '{{ event | ui_url }}',
            kind: { __prefect_kind: 'jinja', template: '{{ automation.name }}' },
            placed: { __prefect_kind: 'workspace_variable', variable_name: 'v' },
            gone: { __prefect_kind: 'json' },
            inJson: { __prefect_kind: 'json', value: { __prefect_kind: 'jinja', template: '{{ event.payload.list | tojson }}' } },
          },
        },
      ],
      { name: 'builder' },
    )
    await send(app, 'go', {
      payload: { n: 41, list: [1, 'zwei'] },
      related: [{ 'prefect.resource.id': `prefect.flow.${flow}`, 'prefect.resource.role': 'flow' }],
    })
    expect(await settle(app)).toMatchObject({ executed: 1 })
    const [run, ...others] = await runsOf(app, deployment)
    expect(others).toEqual([])
    expect(run).toMatchObject({
      state_type: 'SCHEDULED',
      created_by: { id, type: 'AUTOMATION', display_value: 'builder' },
      idempotency_key: expect.stringMatching(new RegExp(`^automation ${id}, action 0, invocation [0-9a-f-]{36}$`)),
      expected_start_time: expect.stringContaining('2030-01-01T00:01:30'),
    })
    expect(run.parameters).toEqual({
      kept: 1,
      name: 'go',
      number: 41,
      sum: 42,
      whole: { n: 41, list: [1, 'zwei'] },
      text: 'n = 41',
      list: [['zwei'], 'plain'],
      flow: 'flow!',
      same: true,
      variable: 7,
      when: '2030',
      time: expect.stringContaining('2030-01-01T00:00:00'),
      link: expect.stringContaining('/events/event/2030-01-01/'),
      kind: 'builder',
      placed: { deep: [7] },
      inJson: [1, 'zwei'],
    })
    const executed = await said(app, id, 'action.executed')
    expect(executed[0]?.related.map((one) => one['prefect.resource.role'])).toEqual([
      'target',
      'flow-run',
      'automation-triggered-event',
      'triggering-event',
    ])
    expect(executed[0]?.related[1]).toMatchObject({ 'prefect.resource.id': `prefect.flow-run.${run.id}`, 'prefect.resource.name': run.name })
  })

  test.each([
    ['a value that is not there', { a: '{{ event.payload.nothing }}' }, 'is undefined'],
    ['a filter that does not exist', { a: '{{ event.event | nofilter }}' }, "No filter named 'nofilter'"],
    ['a variable that does not exist', { a: { __prefect_kind: 'workspace_variable', variable_name: 'nobody' } }, 'nobody'],
    [
      'text that turns out not to be JSON',
      { a: { __prefect_kind: 'json', value: { __prefect_kind: 'jinja', template: '{{ event.event }}' } } },
      'Invalid JSON',
    ],
    ['a template that never ends', { a: '{% for a in range(100) %}{% for b in range(100) %}{{ "x" * 9000 }}{% endfor %}{% endfor %}' }, 'too'],
  ])('fails with %s', async (_what, parameters, reason) => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const id = await automate(app, react('go'), [{ type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters }])
    await send(app, 'go')
    expect(await settle(app)).toMatchObject({ failed: 1 })
    expect((await outcome(app, id))?.reason).toContain(reason)
    expect(await runsOf(app, deployment)).toEqual([])
  })

  test('fails when the parameters do not fit, and tells why', async () => {
    const app = await setup()
    const { deployment } = await deployed(app, {
      enforce_parameter_schema: true,
      parameter_openapi_schema: { type: 'object', properties: { kept: { type: 'integer' }, n: { type: 'integer' } } },
    })
    const id = await automate(app, react('go'), [
      { type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters: { n: '{{ event.event }}' } },
    ])
    await send(app, 'go')
    await settle(app)
    expect(await outcome(app, id)).toMatchObject({ outcome: 'failed', status_code: 409, reason: expect.stringContaining('n') })
  })

  test('finds the deployment in the event, and does not find one that is gone', async () => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const id = await automate(app, react('go'), [{ type: 'run-deployment', source: 'inferred' }])
    const about = (one: string) => ({ resource: { 'prefect.resource.id': `prefect.deployment.${one}` } })
    await send(app, 'go', about(deployment))
    await send(app, 'go', about(uuid(9)))
    expect(await settle(app)).toMatchObject({ executed: 1, failed: 1 })
    expect((await runsOf(app, deployment)).length).toBe(1)
    expect((await said(app, id, 'action.failed'))[0]?.payload.status_code).toBe(404)
  })

  test('the run in a template is as the event tells it, though it went on since', async () => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const { run } = await runIn(app, 'PENDING')
    await automate(
      app,
      { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Running'], match: { 'prefect.resource.id': `prefect.flow-run.${run}` } },
      [
        {
          type: 'run-deployment',
          source: 'selected',
          deployment_id: deployment,
          parameters: {
            told: '{{ flow_run.state.name }} {{ flow_run.state.is_running() }} {{ flow_run.state }}',
            now: '{{ flow_run.state_name }}',
            id: '{{ flow_run.id }}',
          },
        },
      ],
    )
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING', message: 'off we go' } })
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'COMPLETED' } })
    await settle(app)
    expect((await runsOf(app, deployment))[0].parameters).toEqual({ kept: 1, told: 'Running True Running("off we go")', now: 'Completed', id: run })
  })
})

eachDialect('taking an action', (setup) => {
  test('happens once, however many take it', async () => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const id = await automate(app, react('go'), [{ type: 'run-deployment', source: 'selected', deployment_id: deployment }, { type: 'do-nothing' }])
    await send(app, 'go')
    await settleTriggers(app)
    const rows = await readWaiting(app.parts.reads, false, uuid(0), 10)
    expect(rows.length).toBe(2)
    const servers = [app, replica(app), replica(app), replica(app)]
    const outcomes = (await Promise.all(servers.flatMap(({ parts }) => rows.map((row) => act(parts, row))))).sort()
    expect(outcomes).toEqual(['executed', 'executed', 'gone', 'gone', 'gone', 'gone', 'gone', 'gone'])
    expect((await said(app, id, 'action.executed')).length).toBe(2)
    expect((await app.call('POST', '/flow_runs/count', { deployments: { id: { any_: [deployment] } } })).body).toBe(1)
    expect(await app.parts.reads.kysely.selectFrom('automation_firing').selectAll().execute()).toEqual([])
  })

  test('is tried again when it breaks, and given up in the end', async () => {
    const app = await setup()
    const id = await automate(app, react('go'))
    await send(app, 'go')
    await settleTriggers(app)
    const newId = () => {
      throw new Error('no ids today')
    }
    const broken = { ...app.parts, newId }
    for (let n = 0; n < 5; n += 1) {
      const [row] = await readWaiting(app.parts.reads, false, uuid(0), 1)
      expect(row?.attempts).toBe(n)
      if (row) await act(broken, row).catch(() => undefined)
    }
    // That it was given up could not even be told without ids; a sound server takes it.
    expect(await settle(app)).toMatchObject({ executed: 1 })
    expect((await said(app, id, 'action.executed')).length).toBe(1)
  })
})

const settleTriggers = async (app: TestApp) => {
  const { triggerEvaluator } = await import('../services/trigger-evaluator.ts')
  await triggerEvaluator.runOnce(app.parts, new AbortController().signal)
}

const calls: { url: string | undefined; body: string; headers: Record<string, unknown> }[] = []
let outside: Server
let address = ''
beforeAll(async () => {
  outside = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      calls.push({ url: request.url, body, headers: request.headers })
      response.writeHead(request.url === '/broken' ? 500 : 202, { 'x-own': 'yes', via: 'proxy' }).end('x'.repeat(request.url === '/long' ? 5000 : 2))
    })
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
})
afterAll(() => {
  outside.close()
})
afterEach(() => {
  calls.length = 0
})

eachDialect('calling the outside', (setup) => {
  const open = { env: { MILLRACE_AUTOMATIONS_WEBHOOK_ALLOW_PRIVATE_URLS: 'true' } }
  const fields = { title: 'X', type: 'object', properties: { url: { type: 'string' }, headers: { type: 'object' } }, block_schema_references: {} }
  const webhook = async (app: TestApp, data: object): Promise<string> =>
    (await (await makeBlockKind(app, 'webhook', fields)).create('hook', data)).body.id

  test('a webhook is called, and its answer told', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook`, headers: { 'X-Token': 'abc' }, method: 'PUT' })
    const id = await automate(app, react('go'), [
      { type: 'call-webhook', block_document_id: block, payload: { n: '{{ event.payload.n }}', who: '{{ automation.name }}' } },
    ])
    await send(app, 'go', { payload: { n: 5 } })
    expect(await settle(app)).toMatchObject({ executed: 1 })
    expect(calls).toMatchObject([{ url: '/hook', headers: { 'x-token': 'abc' } }])
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ n: '5', who: 'auto' })
    expect(await outcome(app, id)).toMatchObject({ outcome: 'executed', status_code: 202, response_body: 'xx', response_headers: { 'x-own': 'yes' } })
    const [executed] = await said(app, id, 'action.executed')
    expect(executed?.payload.response_headers).not.toHaveProperty('via')
    expect(executed?.related.slice(0, 2)).toEqual([
      { 'prefect.resource.id': `prefect.block-document.${block}`, 'prefect.resource.name': 'hook', 'prefect.resource.role': 'block' },
      { 'prefect.resource.id': 'prefect.block-type.webhook', 'prefect.resource.role': 'block-type' },
    ])
    expect(await app.events()).toContain('prefect.block.webhook.loaded')
  })

  test('its own network is out of reach unless the server is told otherwise', async () => {
    const app = await setup()
    const block = await webhook(app, { url: `${address}/hook` })
    const id = await automate(app, react('go'), [{ type: 'call-webhook', block_document_id: block }])
    await send(app, 'go')
    expect(await settle(app)).toMatchObject({ failed: 1 })
    expect(calls).toEqual([])
    expect((await outcome(app, id))?.reason).toContain('private address')
  })

  test('the block may say so too', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook`, allow_private_urls: false })
    await automate(app, react('go'), [{ type: 'call-webhook', block_document_id: block }])
    await send(app, 'go')
    expect(await settle(app)).toMatchObject({ failed: 1 })
    expect(calls).toEqual([])
  })

  test('a notification goes out by its block', async () => {
    const app = await setup(open)
    const kind = await makeBlockKind(app, 'slack-webhook', fields, ['notify'])
    const block = (await kind.create('slack', { url: `${address}/slack` })).body.id
    const id = await automate(app, react('go'), [
      { type: 'send-notification', block_document_id: block, subject: '{{ event.event }}!', body: 'n is {{ event.payload.n }}' },
    ])
    await send(app, 'go', { payload: { n: 5 } })
    expect(await settle(app)).toMatchObject({ executed: 1 })
    expect(calls.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([['/slack', { text: '*go!*\nn is 5' }]])
    expect(await outcome(app, id)).toMatchObject({ outcome: 'executed' })
  })

  test.each([
    ['the service refuses', 'slack-webhook', ['notify'], '/broken', 'body', 'The notification could not be sent'],
    ['the block is none that notifies', 'slack-webhook', [], '/slack', 'body', 'The block is no notification block'],
    ['its type is unknown', 'pigeon', ['notify'], '/x', 'body', 'pigeon'],
    ['the template fails', 'slack-webhook', ['notify'], '/slack', '{{ event.event + 1 }}', 'The template could not be rendered'],
  ])('fails when %s', async (_what, slug, capabilities, path, body, reason) => {
    const app = await setup(open)
    const kind = await makeBlockKind(app, slug, fields, capabilities)
    const block = (await kind.create('b', { url: `${address}${path}` })).body.id
    const id = await automate(app, react('go'), [{ type: 'send-notification', block_document_id: block, body }])
    await send(app, 'go')
    expect(await settle(app)).toMatchObject({ failed: 1 })
    expect((await outcome(app, id))?.reason).toContain(reason)
  })

  test('a call is made once, though many would make it', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook` })
    await automate(app, react('go'), [{ type: 'call-webhook', block_document_id: block, payload: 'x' }])
    await send(app, 'go')
    await settleTriggers(app)
    await Promise.all([app, replica(app), replica(app)].map(settle))
    expect(calls.length).toBe(1)
  })

  test('a call that a server began and never ended is told as failed, not made again', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook` })
    const id = await automate(app, react('go'), [{ type: 'call-webhook', block_document_id: block, payload: 'x' }])
    await send(app, 'go')
    await settleTriggers(app)
    const [row] = await readWaiting(app.parts.reads, true, uuid(0), 1)
    await app.parts.lane.submit((tx) => tx.update('automation_invocation', [{ id: row?.id as string, claimed: app.clock.now() }]))
    expect(await settle(app)).toMatchObject({ executed: 0, lost: 0 })
    app.clock.advance(601)
    expect(await settle(app)).toMatchObject({ lost: 1 })
    expect((await outcome(app, id))?.reason).toContain('not known')
    expect(calls).toEqual([])
  })
})
