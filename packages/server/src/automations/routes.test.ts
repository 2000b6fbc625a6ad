import { expect, test } from 'vitest'
import { createAutomation, reactiveTrigger, runUntilIdle, sendEvent, uuid } from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'

const automationBody = (more: object = {}) => ({ name: 'auto', trigger: reactiveTrigger('go'), actions: [{ type: 'do-nothing' }], ...more })
const faultLocations = (answer: { body: { detail: { loc: (string | number)[] }[] } }) => answer.body.detail.map(({ loc }) => loc.join('.'))

eachDialect('automations', (setup) => {
  test('take durations as text and as a number of seconds', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const schedule = async (interval: unknown) =>
      app.call('POST', '/deployments/', { name: 'd', flow_id, schedules: [{ schedule: { interval, anchor_date: '2030-01-01T00:00:00Z' } }] })
    for (const interval of [90, 90.0, 'PT1M30S', '00:01:30']) expect((await schedule(interval)).body.schedules[0].schedule.interval).toBe(90)
    for (const interval of [0, -1, 'PT0S', 'soon', null]) expect((await schedule(interval)).status).toBe(422)
    const event = { type: 'event', posture: 'Reactive', expect: ['go'] }
    const create = (within: unknown, schedule_after: unknown) =>
      app.call('POST', '/automations/', {
        name: 'a',
        trigger: { type: 'sequence', within, triggers: [{ ...event, within }, event] },
        actions: [{ type: 'run-deployment', source: 'inferred', schedule_after }],
      })
    for (const seconds of [60, 'PT1M']) {
      const { body } = await create(seconds, seconds)
      expect([body.trigger.within, body.trigger.triggers[0].within, body.actions[0].schedule_after]).toEqual([60, 60, 60])
    }
    expect((await create(60, 0)).status).toBe(201)
    expect((await create(60, -1)).status).toBe(422)
    expect((await create(-1, 0)).status).toBe(422)
  })

  test('are created, read, changed and deleted, each with an event', async () => {
    const app = await setup()
    const made = await app.call('POST', '/automations/', automationBody({ description: 'text', tags: ['a'] }))
    expect(made.status).toBe(201)
    const { id } = made.body
    expect(made.body).toMatchObject({
      name: 'auto',
      description: 'text',
      enabled: true,
      tags: ['a'],
      trigger: { type: 'event', match: {}, match_related: {}, after: [], expect: ['go'], for_each: [], posture: 'Reactive', threshold: 1, within: 0 },
      actions: [{ type: 'do-nothing' }],
      actions_on_trigger: [],
      actions_on_resolve: [],
    })
    expect((await app.call('GET', `/automations/${id}`)).body).toEqual(made.body)
    const put = { name: 'new', trigger: reactiveTrigger('go', { threshold: 3, within: 'PT1M' }), actions: [{ type: 'cancel-flow-run' }] }
    expect((await app.call('PUT', `/automations/${id}`, put)).status).toBe(204)
    const after = (await app.call('GET', `/automations/${id}`)).body
    expect(after).toMatchObject({
      name: 'new',
      description: 'text',
      tags: ['a'],
      trigger: { threshold: 3, within: 60 },
      actions: [{ type: 'cancel-flow-run' }],
    })
    expect(after.trigger.id).not.toBe(made.body.trigger.id)
    expect((await app.call('PATCH', `/automations/${id}`, { enabled: false })).status).toBe(204)
    expect((await app.call('GET', `/automations/${id}`)).body).toMatchObject({ enabled: false })
    expect((await app.call('DELETE', `/automations/${id}`)).status).toBe(204)
    for (const [method, sent] of [['GET'], ['PUT', put], ['PATCH', {}], ['DELETE']] as const)
      expect((await app.call(method, `/automations/${id}`, sent)).status).toBe(404)
    expect(await app.eventNames()).toEqual(['created', 'updated', 'updated', 'deleted'].map((what) => `prefect.automation.${what}`))
  })

  test('keep user JSON as it was sent', async () => {
    const app = await setup()
    const parameters = '{"2":1.0,"1":12345678901234567890}'
    const text = `{"name":"x","trigger":${JSON.stringify(reactiveTrigger('go'))},"actions":[{"type":"run-deployment","source":"inferred","parameters":${parameters}}]}`
    const { id } = (await app.call('POST', '/automations/', text)).body
    const answer = await app.server.inject({ method: 'GET', url: `/automations/${id}` })
    expect(answer.body).toContain(`"parameters":${parameters}`)
  })

  test('convert an object payload to JSON text', async () => {
    const app = await setup()
    const action = { type: 'call-webhook', block_document_id: uuid(1), payload: { a: '{{ event.id }}', b: [1, {}] } }
    const { actions } = (await app.call('POST', '/automations/', automationBody({ actions: [action] }))).body
    expect(actions[0].payload).toBe('{\n  "a": "{{ event.id }}",\n  "b": [\n    1,\n    {}\n  ]\n}')
  })

  test.each([
    ['[1,2.0]', '[\n  1,\n  2.0\n]'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', 'true'],
    ['"5"', '5'],
    ['{"a":{}}', '{\n  "a": {}\n}'],
  ])('convert a payload of other JSON to text: %s', async (payload, kept) => {
    const app = await setup()
    const action = `{"type":"call-webhook","block_document_id":"${uuid(1)}","payload":${payload}}`
    const { actions } = (
      await app.call('POST', '/automations/', `{"name":"x","trigger":${JSON.stringify(reactiveTrigger('go'))},"actions":[${action}]}`)
    ).body
    expect(actions[0].payload).toBe(kept)
  })

  test.each([
    ['a period too short', { trigger: reactiveTrigger('go', { posture: 'Proactive', within: 9 }) }, ['body.trigger.within']],
    ['a trigger of another kind', { trigger: { type: 'metric', posture: 'Metric' } }, undefined],
    [
      'more triggers than there are',
      { trigger: { type: 'compound', require: 3, within: 1, triggers: [reactiveTrigger('a'), reactiveTrigger('b')] } },
      ['body.trigger.require'],
    ],
    [
      'a fault deep within',
      {
        trigger: {
          type: 'sequence',
          within: 1,
          triggers: [reactiveTrigger('a'), { type: 'compound', require: 2, within: 1, triggers: [reactiveTrigger('b')] }],
        },
      },
      ['body.trigger.triggers.1.require'],
    ],
    ['a target that is not named', { actions: [{ type: 'pause-work-pool', source: 'selected' }] }, ['body.actions.0.work_pool_id']],
    [
      'a target too many',
      { actions: [{ type: 'do-nothing' }, { type: 'run-deployment', source: 'inferred', deployment_id: uuid(1) }] },
      ['body.actions.1.deployment_id'],
    ],
    [
      'a bad template',
      { actions: [{ type: 'send-notification', block_document_id: uuid(1), subject: '{{', body: '{% x %}' }] },
      ['body.actions.0.subject', 'body.actions.0.body'],
    ],
    [
      'a bad template in a payload',
      { actions: [{ type: 'call-webhook', block_document_id: uuid(1), payload: { a: '{{ a b }}' } }] },
      ['body.actions.0.payload'],
    ],
    ['a payload that is null', { actions: [{ type: 'call-webhook', block_document_id: uuid(1), payload: null }] }, ['body.actions.0.payload']],
    [
      'bad templates in parameters',
      { actions: [{ type: 'run-deployment', source: 'inferred', parameters: { a: ['{{ x'], b: { c: '{% for %}' }, fine: '{{ y }}' } }] },
      ['body.actions.0.parameters.a.0', 'body.actions.0.parameters.b.c'],
    ],
    [
      'bad placeholders in parameters',
      {
        actions: [
          {
            type: 'run-deployment',
            source: 'inferred',
            parameters: {
              a: { __prefect_kind: 'jinja' },
              b: { __prefect_kind: 'jinja', template: '{{' },
              c: { __prefect_kind: 'json', value: '{' },
              d: { __prefect_kind: 'none' },
              e: { __prefect_kind: 'json', value: { __prefect_kind: 'jinja', template: '{{' } },
              fine: { __prefect_kind: 'json' },
            },
          },
        ],
      },
      ['a.template', 'b.template', 'c.value', 'd.value', 'e.value.template'].map((place) => `body.actions.0.parameters.${place}`),
    ],
    [
      'actions elsewhere',
      { actions_on_trigger: [{ type: 'run-deployment' }], actions_on_resolve: [{ type: 'resume-automation' }] },
      ['body.actions_on_trigger.0.deployment_id', 'body.actions_on_resolve.0.automation_id'],
    ],
    ['a loop', { trigger: reactiveTrigger('prefect.flow-run.*'), actions: [{ type: 'run-deployment', source: 'inferred' }] }, ['body']],
    [
      'a wide trigger',
      {
        trigger: reactiveTrigger('prefect.flow-run.Running', { match: { 'prefect.resource.id': 'prefect.flow-run.*' } }),
        actions: [{ type: 'run-deployment', source: 'selected', deployment_id: uuid(1) }],
      },
      ['body'],
    ],
  ])('are rejected for %s', async (_what, more, expected) => {
    const app = await setup()
    const answer = await app.call('POST', '/automations/', automationBody(more))
    expect(answer.status).toBe(422)
    if (expected) expect(faultLocations(answer)).toEqual(expected)
    expect(await app.eventNames()).toEqual([])
  })

  test('reject enabling an automation that would loop', async () => {
    const app = await setup()
    const looping = automationBody({
      enabled: false,
      trigger: reactiveTrigger('prefect.flow-run.Running'),
      actions: [{ type: 'run-deployment', source: 'inferred' }],
    })
    const { id } = (await app.call('POST', '/automations/', looping)).body
    const answer = await app.call('PATCH', `/automations/${id}`, { enabled: true })
    expect([answer.status, faultLocations(answer)]).toEqual([422, ['']])
    expect((await app.call('PATCH', `/automations/${id}`, {})).status).toBe(422)
    expect((await app.call('GET', `/automations/${id}`)).body.enabled).toBe(false)
    expect((await app.call('PATCH', `/automations/${id}`, { enabled: false })).status).toBe(204)
  })

  test('validate job variables against the pool of the deployment', async () => {
    const app = await setup()
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const template = { job_configuration: { n: '{{ n }}' }, variables: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }
    await app.call('POST', '/work_pools/', { name: 'p', type: 'x', base_job_template: template })
    const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, work_pool_name: 'p' })).body.id
    const wanting = (job_variables: object, id = deployment) =>
      automationBody({ actions: [{ type: 'run-deployment', source: 'selected', deployment_id: id, job_variables }] })
    expect((await app.call('POST', '/automations/', wanting({ n: 'many' }))).status).toBe(422)
    expect((await app.call('POST', '/automations/', wanting({ n: 1 }, uuid(1)))).status).toBe(404)
    const good = await app.call('POST', '/automations/', wanting({ n: 1 }))
    expect(good.status).toBe(201)
    expect((await app.call('POST', '/automations/', wanting({}))).status).toBe(201)
    expect((await app.call('PUT', `/automations/${good.body.id}`, wanting({ n: 'many' }))).status).toBe(422)
  })

  test('are listed, counted and sorted', async () => {
    const app = await setup()
    for (const [name, tags] of [
      ['b', ['x', 'y']],
      ['a', ['x']],
      ['c', []],
    ] as const)
      await app.call('POST', '/automations/', automationBody({ name, tags }))
    const names = async (sent: object) => (await app.call('POST', '/automations/filter', sent)).body.map(({ name }: { name: string }) => name)
    expect(await names({})).toEqual(['a', 'b', 'c'])
    expect(await names({ sort: 'NAME_DESC', limit: 2 })).toEqual(['c', 'b'])
    expect(await names({ sort: 'CREATED_DESC', offset: 1 })).toEqual(['a', 'b'])
    expect(await names({ automations: { tags: { all_: ['x', 'y'] } } })).toEqual(['b'])
    expect(await names({ automations: { tags: { any_: ['y', 'z'] } } })).toEqual(['b'])
    expect(await names({ automations: { tags: { is_null_: true } } })).toEqual(['c'])
    expect(await names({ automations: { operator: 'or_', name: { any_: ['c'] }, tags: { all_: ['y'] } } })).toEqual(['b', 'c'])
    expect(await names({ automations: { created: { before_: '2029-01-01T00:00:00Z' } } })).toEqual([])
    expect((await app.call('POST', '/automations/count', {})).body).toBe(3)
    expect((await app.call('POST', '/automations/count')).body).toBe(3)
    expect((await app.call('POST', '/automations/count', { automations: { name: { any_: ['a'] } } })).body).toBe(1)
  })

  test('are deleted with the resource that owns them', async () => {
    const app = await setup()
    const owner = `prefect.deployment.${uuid(1)}`
    const related = async () => (await app.call('GET', `/automations/related-to/${owner}`)).body.map(({ name }: { name: string }) => name)
    await app.call(
      'POST',
      '/automations/',
      automationBody({ name: 'owned', owner_resource: owner, actions: [{ type: 'run-deployment', source: 'selected', deployment_id: uuid(1) }] }),
    )
    const { id } = (
      await app.call(
        'POST',
        '/automations/',
        automationBody({ name: 'related', actions: [{ type: 'run-deployment', source: 'selected', deployment_id: uuid(1) }] }),
      )
    ).body
    expect(await related()).toEqual(['owned', 'related'])
    expect((await app.call('DELETE', `/automations/owned-by/${owner}`)).status).toBe(202)
    expect(await related()).toEqual(['related'])
    await app.call('PUT', `/automations/${id}`, automationBody())
    expect(await related()).toEqual([])
    expect(await app.eventNames()).not.toContain('prefect.automation.deleted')
  })
})

eachDialect('the status of an automation', (setup) => {
  const status = async (app: TestApp, id: string) => (await app.call('GET', `/automations/${id}/status`)).body

  test('reports when it was evaluated, when it fired and why it did not', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go', { threshold: 2, within: 60 }))
    expect(await status(app, id)).toEqual({
      automation_id: id,
      enabled: true,
      last_evaluated: null,
      last_fired: null,
      reason: 'No event has matched the trigger yet.',
      suspended: null,
      open_periods: 0,
      waiting_actions: 0,
    })
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    const once = await status(app, id)
    expect(once).toMatchObject({ last_fired: null, reason: expect.stringMatching(/^1 of 2 events/), open_periods: 1 })
    expect(once.last_evaluated).toContain('2030-01-01T00:00:00')
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    const fired = await status(app, id)
    expect(fired).toMatchObject({ reason: null, last_fired: fired.last_evaluated })
    app.clock.advance(10)
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect(await status(app, id)).toMatchObject({
      last_fired: fired.last_fired,
      reason: expect.stringContaining('Ignored: the event occurred before the period'),
    })
    await app.call('PATCH', `/automations/${id}`, { enabled: false })
    expect(await status(app, id)).toMatchObject({ enabled: false, reason: 'Disabled.', open_periods: 0 })
  })

  test('reports nested triggers', async () => {
    const app = await setup()
    const id = await createAutomation(app, { type: 'sequence', within: 60, triggers: [reactiveTrigger('a'), reactiveTrigger('b')] })
    await sendEvent(app, 'b')
    await runUntilIdle(app)
    expect((await status(app, id)).reason).toBe('1 of 2 triggers have fired')
    await sendEvent(app, 'a')
    await runUntilIdle(app)
    expect((await status(app, id)).reason).toBe('The triggers fired in a different order')
  })

  test('responds with 404 for an unknown automation', async () => {
    const app = await setup()
    expect((await app.call('GET', `/automations/${uuid(1)}/status`)).status).toBe(404)
  })
})

eachDialect('templates', (setup) => {
  test('are checked at both paths', async () => {
    const app = await setup()
    for (const path of ['/templates/validate', '/automations/templates/validate']) {
      expect((await app.call('POST', path, JSON.stringify('Hello {{ name }}'))).status).toBe(204)
      expect((await app.call('POST', path)).status).toBe(204)
      expect((await app.call('POST', path, 'null')).status).toBe(204)
      const bad = await app.call('POST', path, JSON.stringify('one\n{{ two'))
      expect(bad.status).toBe(422)
      expect(bad.body).toMatchObject({ detail: [{ loc: ['body'], ctx: { line: 2 } }], error: { line: 2, source: 'one\n{{ two' } })
      expect((await app.call('POST', path, '5')).status).toBe(422)
    }
  })
})
