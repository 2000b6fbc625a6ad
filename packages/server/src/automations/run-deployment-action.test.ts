import { expect, test } from 'vitest'
import {
  createAutomation,
  createRunInState,
  reactiveTrigger,
  readActionResult,
  readAutomationEvents,
  runUntilIdle,
  seedDeployment,
  sendEvent,
  uuid,
} from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'

eachDialect('the run-deployment action', (setup) => {
  const runsOf = async (app: TestApp, deployment: string) =>
    (await app.call('POST', '/flow_runs/filter', { deployments: { id: { any_: [deployment] } }, sort: 'EXPECTED_START_TIME_ASC' })).body

  test('creates one run as the automation, with rendered parameters', async () => {
    const app = await setup()
    const { deployment, flow } = await seedDeployment(app)
    await app.call('POST', '/variables/', { name: 'v', value: { deep: [7] } })
    const id = await createAutomation(
      app,
      reactiveTrigger('go'),
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
    await sendEvent(app, 'go', {
      payload: { n: 41, list: [1, 'zwei'] },
      related: [{ 'prefect.resource.id': `prefect.flow.${flow}`, 'prefect.resource.role': 'flow' }],
    })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
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
    const executed = await readAutomationEvents(app, id, 'action.executed')
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
    const { deployment } = await seedDeployment(app)
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters },
    ])
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ failed: 1 })
    expect((await readActionResult(app, id))?.reason).toContain(reason)
    expect(await runsOf(app, deployment)).toEqual([])
  })

  test('fails with the reason when parameters are invalid', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app, {
      enforce_parameter_schema: true,
      parameter_openapi_schema: { type: 'object', properties: { kept: { type: 'integer' }, n: { type: 'integer' } } },
    })
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters: { n: '{{ event.event }}' } },
    ])
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect(await readActionResult(app, id)).toMatchObject({ outcome: 'failed', status_code: 409, reason: expect.stringContaining('n') })
  })

  test('infers the deployment from the event and fails when it is deleted', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'run-deployment', source: 'inferred' }])
    const about = (one: string) => ({ resource: { 'prefect.resource.id': `prefect.deployment.${one}` } })
    await sendEvent(app, 'go', about(deployment))
    await sendEvent(app, 'go', about(uuid(9)))
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1, failed: 1 })
    expect((await runsOf(app, deployment)).length).toBe(1)
    expect((await readAutomationEvents(app, id, 'action.failed'))[0]?.payload.status_code).toBe(404)
  })

  test('shows templates the run in the state of the event', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const { run } = await createRunInState(app, 'PENDING')
    await createAutomation(
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
    await runUntilIdle(app)
    expect((await runsOf(app, deployment))[0].parameters).toEqual({ kept: 1, told: "Running True Running('off we go')", now: 'Completed', id: run })
  })
})
