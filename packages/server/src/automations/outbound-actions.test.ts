import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createAutomation,
  createReplica,
  evaluateTriggers,
  reactiveTrigger,
  readActionResult,
  readAutomationEvents,
  runUntilIdle,
  sendEvent,
  uuid,
} from '../../test/automations.ts'
import { seedBlockType } from '../../test/blocks.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { readQueuedActions } from './action-queue.ts'

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

eachDialect('outbound actions', (setup) => {
  const open = { env: { MILLRACE_AUTOMATIONS_WEBHOOK_ALLOW_PRIVATE_URLS: 'true' } }
  const fields = { title: 'X', type: 'object', properties: { url: { type: 'string' }, headers: { type: 'object' } }, block_schema_references: {} }
  const webhook = async (app: TestApp, data: object): Promise<string> =>
    (await (await seedBlockType(app, 'webhook', fields)).create('hook', data)).body.id

  test('calls a webhook and reports the response', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook`, headers: { 'X-Token': 'abc' }, method: 'PUT' })
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'call-webhook', block_document_id: block, payload: { n: '{{ event.payload.n }}', who: '{{ automation.name }}' } },
    ])
    await sendEvent(app, 'go', { payload: { n: 5 } })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect(calls).toMatchObject([{ url: '/hook', headers: { 'x-token': 'abc' } }])
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ n: '5', who: 'auto' })
    expect(await readActionResult(app, id)).toMatchObject({
      outcome: 'executed',
      status_code: 202,
      response_body: 'xx',
      response_headers: { 'x-own': 'yes' },
    })
    const [executed] = await readAutomationEvents(app, id, 'action.executed')
    expect(executed?.payload.response_headers).not.toHaveProperty('via')
    expect(executed?.related.slice(0, 2)).toEqual([
      { 'prefect.resource.id': `prefect.block-document.${block}`, 'prefect.resource.name': 'hook', 'prefect.resource.role': 'block' },
      { 'prefect.resource.id': 'prefect.block-type.webhook', 'prefect.resource.role': 'block-type' },
    ])
    expect(await app.eventNames()).toContain('prefect.block.webhook.loaded')
  })

  test('reports the beginning and the end of a long response', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/long` })
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'call-webhook', block_document_id: block, payload: '' }])
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect((await readActionResult(app, id))?.response_body).toBe(`${'x'.repeat(500)}...4000 additional characters...${'x'.repeat(500)}`)
  })

  test('rejects private addresses unless the setting allows them', async () => {
    const app = await setup()
    const block = await webhook(app, { url: `${address}/hook` })
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'call-webhook', block_document_id: block }])
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ failed: 1 })
    expect(calls).toEqual([])
    expect((await readActionResult(app, id))?.reason).toContain('private address')
  })

  test('rejects private addresses when the block forbids them', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook`, allow_private_urls: false })
    await createAutomation(app, reactiveTrigger('go'), [{ type: 'call-webhook', block_document_id: block }])
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ failed: 1 })
    expect(calls).toEqual([])
  })

  test('sends a notification through its block', async () => {
    const app = await setup(open)
    const kind = await seedBlockType(app, 'slack-webhook', fields, ['notify'])
    const block = (await kind.create('slack', { url: `${address}/slack` })).body.id
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'send-notification', block_document_id: block, subject: '{{ event.event }}!', body: 'n is {{ event.payload.n }}' },
    ])
    await sendEvent(app, 'go', { payload: { n: 5 } })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect(calls.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([['/slack', { text: '*go!*\nn is 5' }]])
    expect(await readActionResult(app, id)).toMatchObject({ outcome: 'executed' })
  })

  test.each([
    ['the service refuses', 'slack-webhook', ['notify'], '/broken', 'body', 'The notification could not be sent'],
    ['the block is none that notifies', 'slack-webhook', [], '/slack', 'body', 'Block does not support notifications.'],
    ['its type is unknown', 'pigeon', ['notify'], '/x', 'body', 'pigeon'],
    ['the template fails', 'slack-webhook', ['notify'], '/slack', '{{ event.event + 1 }}', 'Template could not be rendered'],
  ])('fails when %s', async (_what, slug, capabilities, path, body, reason) => {
    const app = await setup(open)
    const kind = await seedBlockType(app, slug, fields, capabilities)
    const block = (await kind.create('b', { url: `${address}${path}` })).body.id
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'send-notification', block_document_id: block, body }])
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ failed: 1 })
    expect((await readActionResult(app, id))?.reason).toContain(reason)
  })

  test('calls once with several servers', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook` })
    await createAutomation(app, reactiveTrigger('go'), [{ type: 'call-webhook', block_document_id: block, payload: 'x' }])
    await sendEvent(app, 'go')
    await evaluateTriggers(app)
    await Promise.all([app, createReplica(app), createReplica(app)].map(runUntilIdle))
    expect(calls.length).toBe(1)
  })

  test('fails a call of a stopped server and does not repeat it', async () => {
    const app = await setup(open)
    const block = await webhook(app, { url: `${address}/hook` })
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'call-webhook', block_document_id: block, payload: 'x' }])
    await sendEvent(app, 'go')
    await evaluateTriggers(app)
    const [row] = await readQueuedActions(app.context.reads, true, uuid(0), 1)
    await app.context.commands.submit((tx) => tx.update('automation_invocation', [{ id: row?.id as string, claimed: app.clock.now() }]))
    expect(await runUntilIdle(app)).toMatchObject({ executed: 0, lost: 0 })
    app.clock.advance(601)
    expect(await runUntilIdle(app)).toMatchObject({ lost: 1 })
    expect((await readActionResult(app, id))?.reason).toContain('It is unknown')
    expect(calls).toEqual([])
  })
})
