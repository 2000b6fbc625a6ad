import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suspendAutomations } from '../../server/src/automations/suspension.ts'
import { triggerEvaluator } from '../../server/src/services/automations.ts'
import { runService } from '../../server/test/setup.ts'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)
const folder = mkdtempSync(join(tmpdir(), 'millrace-automation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const withInput = (stdin: string, ...argv: string[]) => runCli(['--server', server.url, ...argv], { stdin })
const writeFile = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const notifyFile = `name: Notify on failure
description: Tell the team
tags: [prod]
trigger:
  type: event
  posture: Reactive
  expect: [prefect.flow-run.Failed]
  threshold: 3
  within: 300
actions:
  - type: cancel-flow-run
`

beforeAll(async () => {
  const body = {
    name: 'Cancel stuck runs',
    trigger: { type: 'event', posture: 'Proactive', after: ['prefect.flow-run.Pending'], expect: ['prefect.flow-run.Running'], within: 600 },
    actions: [{ type: 'cancel-flow-run' }, { type: 'do-nothing' }, { type: 'do-nothing' }],
    enabled: false,
  }
  await server.app.call('POST', '/automations/', body)
})

describe('automation create', () => {
  test('takes a YAML file', async () => {
    expect(await millrace('automation', 'create', writeFile('notify.yaml', notifyFile))).toMatchInlineSnapshot(
      `"Created automation "Notify on failure" (<id>)."`,
    )
  })

  test('takes the output of inspect', async () => {
    const { stdout: yaml } = await server.millrace('automation', 'inspect', 'Notify on failure', '-o', 'yaml')
    const { stdout } = await withInput(yaml.replace('Notify on failure', 'Copy'), 'automation', 'create', '-', '-o', 'json')
    const { id, created, updated, trigger, ...copy } = JSON.parse(stdout)
    const original = await server.json('automation', 'inspect', 'Notify on failure')
    expect(original).toMatchObject({ ...copy, name: 'Notify on failure', trigger: { ...trigger, id: original.trigger.id } })
    expect(id).not.toBe(original.id)
  })

  test('takes a list', async () => {
    const list = { automations: ['one', 'two'].map((name) => ({ name, trigger: { posture: 'Reactive' }, actions: [] })) }
    expect(screen(await withInput(JSON.stringify(list), 'automation', 'create', '-'))).toMatchInlineSnapshot(`
      "Created automation "one" (<id>).
      Created automation "two" (<id>)."
    `)
    expect(JSON.parse((await withInput(JSON.stringify(list.automations), 'automation', 'create', '-', '-o', 'json')).stdout)).toMatchObject([
      { name: 'one' },
      { name: 'two' },
    ])
  })

  test('shows what the server rejects', async () => {
    const create = async (text: string) => screen(await withInput(text, 'automation', 'create', '-'))
    expect(await create('name: x\nactions: []')).toMatchInlineSnapshot(`
      "exit code 1
      Error: trigger: Field required (request <id>)"
    `)
    expect(await create('name: x\ntrigger: {posture: Reactive}\nactions: [{type: send-mail}]')).toMatchInlineSnapshot(`
      "exit code 2
      Error: actions.0.type: "send-mail" is not a type of action. Types: do-nothing, run-deployment, pause-deployment, resume-deployment, cancel-flow-run, delete-flow-run, change-flow-run-state, pause-work-queue, resume-work-queue, send-notification, call-webhook, pause-automation, resume-automation, suspend-flow-run, resume-flow-run, pause-work-pool, resume-work-pool."
    `)
    expect(await create('name: x\ntrigger: {posture: Reactive, threshold: many}\nactions: []')).toMatchInlineSnapshot(`
      "exit code 1
      Error: trigger.threshold: Input should be a valid integer, unable to parse string as an integer (request <id>)"
    `)
    expect(await create('name: x\ntrigger: {posture: Sometimes}\nactions: []')).toMatchInlineSnapshot(`
      "exit code 1
      Error: trigger.posture: Input should be 'Reactive', 'Proactive' (request <id>)"
    `)
    expect(await create('name: x\ntriger: {posture: Reactive}\ntrigger: {posture: Reactive}\nactions: []')).toMatchInlineSnapshot(`
      "exit code 1
      Error: triger: Extra inputs are not permitted (request <id>)"
    `)
    expect(await create('- {name: first, trigger: {posture: Reactive}, actions: []}\n- {name: second, actions: []}')).toMatchInlineSnapshot(`
      "exit code 1
      Created before the error: "first".
      Error: Automation "second": trigger: Field required"
    `)
    expect(await create('just text')).toMatchInlineSnapshot(`
      "exit code 2
      Error: stdin: expected an object, got a string."
    `)
    expect(await create('')).toMatchInlineSnapshot(`
      "exit code 2
      Error: stdin: expected an object, got null."
    `)
  })
})

describe('automation ls', () => {
  test('shows status, trigger and actions', async () => {
    await millrace('automation', 'delete', 'Copy', '--yes')
    expect(await millrace('automation', 'ls')).toMatchInlineSnapshot(`
      "NAME               STATUS   TRIGGER                                                                            ACTIONS
      Cancel stuck runs  PAUSED   prefect.flow-run.Running does not occur within 10m after prefect.flow-run.Pending  cancel-flow-run, do-nothing ×2
      Notify on failure  ENABLED  prefect.flow-run.Failed occurs 3 times within 5m                                   cancel-flow-run
      first              ENABLED  any event occurs
      one                ENABLED  any event occurs
      one                ENABLED  any event occurs
      two                ENABLED  any event occurs
      two                ENABLED  any event occurs"
    `)
    expect(await millrace('automation', 'ls', '--tag', 'prod', '-o', 'wide')).toMatchInlineSnapshot(`
      "NAME               STATUS   TRIGGER                                           ACTIONS          TAGS  UPDATED  ID
      Notify on failure  ENABLED  prefect.flow-run.Failed occurs 3 times within 5m  cancel-flow-run  prod  3m ago   <id>"
    `)
    expect(await millrace('automation', 'ls', '--tag', 'none')).toBe('No automations.')
  })

  test('fits a narrow terminal', async () => {
    expect(screen(await runCli(['--server', server.url, 'automation', 'ls'], { columns: 80 }))).toMatchInlineSnapshot(`
      "NAME               STATUS   TRIGGER                    ACTIONS
      Cancel stuck runs  PAUSED   prefect.flow-run.Running…  cancel-flow-run, do-noth…
      Notify on failure  ENABLED  prefect.flow-run.Failed …  cancel-flow-run
      first              ENABLED  any event occurs
      one                ENABLED  any event occurs
      one                ENABLED  any event occurs
      two                ENABLED  any event occurs
      two                ENABLED  any event occurs"
    `)
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('automation', 'ls')).toEqual((await server.app.call('POST', '/automations/filter', {})).body)
  })
})

describe('automation inspect', () => {
  test('shows trigger and actions', async () => {
    expect(await millrace('automation', 'inspect', 'Notify on failure')).toMatchInlineSnapshot(`
      "NAME         Notify on failure
      STATUS       ENABLED
      DESCRIPTION  Tell the team
      TAGS         prod
      LAST FIRED   never
      CREATED      <time>
      UPDATED      <time>
      ID           <id>

      Trigger
      type: event
      id: <id>
      match: {}
      match_related: {}
      after: []
      expect:
        - prefect.flow-run.Failed
      for_each: []
      posture: Reactive
      threshold: 3
      within: 300

      Actions
      - type: cancel-flow-run"
    `)
  })

  test('finds by id, and ends with exit code 26 for a name of several and 25 for none', async () => {
    const { id } = await server.json('automation', 'inspect', 'Cancel stuck runs')
    expect(await server.json('automation', 'inspect', id)).toMatchObject({ name: 'Cancel stuck runs' })
    expect(await millrace('automation', 'inspect', 'one')).toMatchInlineSnapshot(`
      "exit code 26
      Error: Automation "one" is ambiguous. Use an id:
        <id>
        <id>"
    `)
    expect(await millrace('automation', 'inspect', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Automation "none" not found. \`millrace automation ls\` shows what there is."
    `)
    expect(await millrace('automation', 'inspect', '0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b11')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Automation "<id>" not found. \`millrace automation ls\` shows what there is."
    `)
  })
})

describe('automation status', () => {
  test('says why an automation did not fire', async () => {
    expect(await millrace('automation', 'status', 'Notify on failure')).toMatchInlineSnapshot(`
      "NAME             Notify on failure
      STATUS           ENABLED
      LAST EVALUATED   never
      LAST FIRED       never
      WHY NOT          No event has matched the trigger yet.
      SUSPENDED UNTIL
      OPEN PERIODS     0
      WAITING ACTIONS  0
      ID               <id>"
    `)
    expect(await millrace('automation', 'status', 'Cancel stuck runs')).toMatchInlineSnapshot(`
      "NAME             Cancel stuck runs
      STATUS           PAUSED
      LAST EVALUATED   never
      LAST FIRED       never
      WHY NOT          Disabled.
      SUSPENDED UNTIL
      OPEN PERIODS     0
      WAITING ACTIONS  0
      ID               <id>"
    `)
  })

  test('says when it was evaluated', async () => {
    const event = {
      event: 'prefect.flow-run.Failed',
      resource: { 'prefect.resource.id': 'prefect.flow-run.1' },
      id: '0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b11',
    }
    await server.app.call('POST', '/events', [{ ...event, occurred: new Date(Date.now() - 200_000).toISOString() }])
    await runService(server.app, triggerEvaluator)
    expect(await millrace('automation', 'status', 'Notify on failure')).toMatchInlineSnapshot(`
      "NAME             Notify on failure
      STATUS           ENABLED
      LAST EVALUATED   <time> (3m ago)
      LAST FIRED       never
      WHY NOT          1 of 3 events in the period until <time>
      SUSPENDED UNTIL
      OPEN PERIODS     1
      WAITING ACTIONS  0
      ID               <id>"
    `)
    expect(await server.json('automation', 'status', 'Notify on failure')).toMatchObject({ enabled: true, open_periods: 1, last_fired: null })
  })
})

test('a suspended automation is shown as such until it is resumed', async () => {
  const { id, name } = await server.json('automation', 'inspect', 'Notify on failure')
  const { context, clock } = server.app
  await context.commands.submit((tx) => suspendAutomations(context, tx, [{ id, name }], 'It fired 100 times in 1 minute.', clock.now()))
  expect(await millrace('automation', 'ls', '--tag', 'prod')).toMatchInlineSnapshot(`
    "NAME               STATUS     TRIGGER                                           ACTIONS
    Notify on failure  SUSPENDED  prefect.flow-run.Failed occurs 3 times within 5m  cancel-flow-run"
  `)
  expect((await millrace('automation', 'status', name)).replace(/in \d+m/, 'in 56m')).toMatchInlineSnapshot(`
    "NAME             Notify on failure
    STATUS           SUSPENDED
    LAST EVALUATED   <time> (3m ago)
    LAST FIRED       never
    WHY NOT          Suspended. It fired 100 times in 1 minute.
    SUSPENDED UNTIL  <time> (in 56m)
    OPEN PERIODS     0
    WAITING ACTIONS  0
    ID               <id>"
  `)
  expect(await millrace('automation', 'resume', name)).toBe('Resumed automation "Notify on failure".')
  expect(await server.json('automation', 'status', name)).toMatchObject({ suspended: null })
})

describe('automation update', () => {
  test('keeps what the file does not have', async () => {
    expect(screen(await withInput('description: Tell everyone', 'automation', 'update', 'Notify on failure', '-'))).toBe(
      'Changed automation "Notify on failure".',
    )
    expect(await server.json('automation', 'inspect', 'Notify on failure')).toMatchObject({
      description: 'Tell everyone',
      tags: ['prod'],
      trigger: { expect: ['prefect.flow-run.Failed'], threshold: 3 },
      actions: [{ type: 'cancel-flow-run' }],
    })
  })

  test('takes a whole file with a new name', async () => {
    const file = writeFile('renamed.yaml', notifyFile.replace('Notify on failure', 'Notify').replace('threshold: 3', 'threshold: 5'))
    expect(await server.json('automation', 'update', 'Notify on failure', file)).toMatchObject({ name: 'Notify', trigger: { threshold: 5 } })
  })

  test('shows what the server rejects', async () => {
    expect(screen(await withInput('enabled: perhaps', 'automation', 'update', 'Notify', '-'))).toMatchInlineSnapshot(`
      "exit code 1
      Error: enabled: Input should be a valid boolean, unable to interpret input (request <id>)"
    `)
    expect(screen(await withInput('- a list', 'automation', 'update', 'Notify', '-'))).toMatchInlineSnapshot(`
      "exit code 2
      Error: stdin: expected an object, got a list."
    `)
    expect(screen(await withInput('{}', 'automation', 'update', 'none', '-'))).toMatchInlineSnapshot(`
      "exit code 25
      Error: Automation "none" not found. \`millrace automation ls\` shows what there is."
    `)
  })
})

describe('automation pause and resume', () => {
  test('are printed as text and as the changed automation', async () => {
    expect(await millrace('automation', 'pause', 'Notify')).toBe('Paused automation "Notify".')
    expect(await server.json('automation', 'inspect', 'Notify')).toMatchObject({ enabled: false })
    expect(await millrace('automation', 'resume', 'Notify')).toBe('Resumed automation "Notify".')
    expect(await server.json('automation', 'disable', 'Notify')).toMatchObject({ enabled: false })
    expect(await server.json('automation', 'enable', 'Notify')).toMatchObject({ enabled: true })
  })
})

describe('automation delete', () => {
  test('needs --yes without a terminal', async () => {
    expect(await millrace('automation', 'delete', 'Notify')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete automation "Notify"? Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('automation', 'delete', 'Notify', '--yes')).toBe('Deleted automation "Notify".')
    expect(await server.json('automation', 'delete', 'Cancel stuck runs', '-y')).toMatchObject({ name: 'Cancel stuck runs' })
    expect(await millrace('automation', 'delete', 'Notify', '--yes')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Automation "Notify" not found. \`millrace automation ls\` shows what there is."
    `)
  })
})
