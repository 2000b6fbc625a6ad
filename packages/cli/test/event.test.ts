import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../src/program.ts'
import { cliServer, runCli } from './cli-test.ts'
import { screen } from './readable-output.ts'

const server = cliServer()
const folder = mkdtempSync(join(tmpdir(), 'millrace-event-'))
afterAll(() => rmSync(folder, { recursive: true }))

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const minutesAgo = (minutes: number): string => new Date(Date.now() - (minutes * 60 + 20) * 1000).toISOString()
const ids = ['0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b11', '0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b12', '0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b13']

beforeAll(async () => {
  // Ahead of the clients, as lists end at the server's time.
  server.app.clock.set((Date.now() + 60_000) * 1000)
  const run = { 'prefect.resource.id': 'prefect.flow-run.1', 'prefect.resource.name': 'loader' }
  const order = { 'prefect.resource.id': 'shop.order.17', region: 'eu' }
  const customer = { 'prefect.resource.id': 'shop.customer.5', 'prefect.resource.role': 'customer', 'prefect.resource.name': 'Ada' }
  await server.app.call('POST', '/events', [
    { id: ids[0], occurred: minutesAgo(9), event: 'prefect.flow-run.Running', resource: run },
    { id: ids[1], occurred: minutesAgo(6), event: 'prefect.flow-run.Failed', resource: run, payload: { message: 'a timeout' } },
    {
      id: ids[2],
      occurred: minutesAgo(3),
      event: 'order.paid',
      resource: order,
      related: [customer],
      payload: { amount: 30, items: ['a', 'b'] },
      follows: ids[1],
    },
  ])
})

describe('event ls', () => {
  test('shows events, newest first', async () => {
    expect(await millrace('event', 'ls')).toMatchInlineSnapshot(`
      "OCCURRED  EVENT                     RESOURCE
      3m ago    order.paid                shop.order.17
      6m ago    prefect.flow-run.Failed   loader
      9m ago    prefect.flow-run.Running  loader"
    `)
    expect(await millrace('event', 'ls', '-o', 'wide', '--order', 'asc')).toMatchInlineSnapshot(`
      "OCCURRED  EVENT                     RESOURCE       RESOURCE ID         ID
      9m ago    prefect.flow-run.Running  loader         prefect.flow-run.1  <id>
      6m ago    prefect.flow-run.Failed   loader         prefect.flow-run.1  <id>
      3m ago    order.paid                shop.order.17  shop.order.17       <id>"
    `)
  })

  test('fits a narrow terminal', async () => {
    expect(screen(await runCli(['--server', server.url, 'event', 'ls'], { columns: 40 }))).toMatchInlineSnapshot(`
      "OCCURRED  EVENT            RESOURCE
      3m ago    order.paid       shop.order.17
      6m ago    prefect.flow-r…  loader
      9m ago    prefect.flow-r…  loader"
    `)
  })

  test('filters by name, resource, time and text', async () => {
    const names = async (...options: string[]) => (await server.json('event', 'ls', ...options)).map(({ event }: { event: string }) => event)
    expect(await names('--name', 'prefect.')).toEqual(['prefect.flow-run.Failed', 'prefect.flow-run.Running'])
    expect(await names('--name', 'prefect.flow-run.R', 'order')).toEqual(['order.paid', 'prefect.flow-run.Running'])
    expect(await names('--resource', 'shop.customer.5')).toEqual(['order.paid'])
    expect(await names('--resource', 'prefect.flow-run.*')).toHaveLength(2)
    expect(await names('--since', '5m')).toEqual(['order.paid'])
    expect(await names('--until', '5m')).toHaveLength(2)
    expect(await names('--since', minutesAgo(8), '--until', minutesAgo(5))).toEqual(['prefect.flow-run.Failed'])
    expect(await names('--text', 'timeout')).toEqual(['prefect.flow-run.Failed'])
    expect(await names('--limit', '1')).toEqual(['order.paid'])
    expect(await millrace('event', 'ls', '--name', 'none')).toBe('No events.')
  })

  test('reads more than one page', async () => {
    const resource = { 'prefect.resource.id': 'many' }
    const many = Array.from({ length: 120 }, (_, index) => ({
      id: `0199f0a1-7c3e-7a52-b1a4-${String(index).padStart(12, '0')}`,
      occurred: minutesAgo(60),
      event: 'many',
      resource,
    }))
    await server.app.call('POST', '/events', many)
    expect(await server.json('event', 'ls', '--name', 'many', '--limit', '110')).toHaveLength(110)
    expect(new Set((await server.json('event', 'ls', '--name', 'many', '--limit', '500')).map(({ id }: { id: string }) => id)).size).toBe(120)
  })

  test('rejects times and mixed resources', async () => {
    expect(await server.millrace('event', 'ls', '--since', 'yesterday')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither a duration such as'),
    })
    expect(await millrace('event', 'ls', '--resource', 'a', 'b*')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Give either ids of resources or prefixes, not both."
    `)
    expect(await millrace('event', 'ls', '--text', 'x'.repeat(201))).toMatchInlineSnapshot(`
      "exit code 1
      Error: filter.text.query: String should have at most 200 characters (request <id>)"
    `)
  })
})

describe('event inspect', () => {
  test('shows resources and payload', async () => {
    expect(await millrace('event', 'inspect', ids[2]!)).toMatchInlineSnapshot(`
      "EVENT     order.paid
      RESOURCE  shop.order.17
      OCCURRED  <time>
      RECEIVED  <time>
      FOLLOWS   <id>
      ID        <id>

      Labels
      region: eu

      Related
      ROLE      NAME  RESOURCE
      customer  Ada   shop.customer.5

      Payload
      amount: 30
      items:
        - a
        - b"
    `)
    expect(await server.json('event', 'inspect', ids[1]!)).toMatchObject({ event: 'prefect.flow-run.Failed', payload: { message: 'a timeout' } })
  })

  test('ends with exit code 25 for an unknown id, and 2 for what is none', async () => {
    expect(await millrace('event', 'inspect', '00000000-0000-4000-8000-000000000000')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Event "<id>" not found. \`millrace event ls -o wide\` shows what there is."
    `)
    expect(await millrace('event', 'inspect', 'order.paid')).toMatchInlineSnapshot(`
      "exit code 2
      Error: "order.paid" is not the id of an event. \`millrace event ls -o wide\` shows ids."
    `)
  })
})

describe('event emit', () => {
  test('sends an event', async () => {
    const args = ['--label', 'region=eu', '--label', 'size=5', '--related', 'customer=shop.customer.5', '--follows', ids[0]!]
    const event = await server.json('event', 'emit', 'order.sent', '--resource', 'shop.order.17', ...args, '--payload', '{"parcels": 2.50}')
    expect(await server.json('event', 'inspect', event.id)).toMatchObject({
      event: 'order.sent',
      resource: { 'prefect.resource.id': 'shop.order.17', region: 'eu', size: '5' },
      related: [{ 'prefect.resource.id': 'shop.customer.5', 'prefect.resource.role': 'customer' }],
      payload: { parcels: 2.5 },
      follows: ids[0],
    })
    expect(await millrace('event', 'emit', 'order.sent', '-r', 'shop.order.18')).toMatchInlineSnapshot(`"Emitted event "order.sent" (<id>)."`)
  })

  test('reads the payload from a file or stdin', async () => {
    writeFileSync(join(folder, 'payload.yaml'), 'rows: 5\n')
    const fromFile = await server.json('event', 'emit', 'rows.loaded', '-r', 'lake', '--payload', `@${join(folder, 'payload.yaml')}`)
    expect(fromFile.payload).toEqual({ rows: 5 })
    const { stdout } = await runCli(['--server', server.url, 'event', 'emit', 'rows.loaded', '-r', 'lake', '--payload', '@-', '-o', 'json'], {
      stdin: '{"rows": 6}',
    })
    expect(JSON.parse(stdout).payload).toEqual({ rows: 6 })
  })

  test('rejects what is no payload, pair or resource', async () => {
    expect(await millrace('event', 'emit', 'a', '-r', 'b', '--payload', '{rows}')).toMatchInlineSnapshot(`
      "exit code 2
      Error: --payload: "{rows}" is not JSON. Give a JSON object, or @FILE."
    `)
    expect(await millrace('event', 'emit', 'a', '-r', 'b', '--payload', '[1]')).toMatchInlineSnapshot(`
      "exit code 2
      Error: --payload: expected an object, got a list."
    `)
    expect(await millrace('event', 'emit', 'x'.repeat(2000), '-r', 'b')).toMatchInlineSnapshot(`
      "exit code 1
      Error: event: Event name too long: got 2000 characters, limit 1024 (events.maximum_name_length). (request <id>)"
    `)
    expect(await server.millrace('event', 'emit', 'a', '-r', '')).toMatchObject({ code: 2, stderr: expect.stringContaining('It is empty.') })
    expect(await server.millrace('event', 'emit', 'a')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'-r, --resource <id>' not specified"),
    })
    expect(await server.millrace('event', 'emit', 'a', '-r', 'b', '--label', 'c')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It is not KEY=VALUE.'),
    })
  })
})

describe('event tail', () => {
  const flowRuns = ['event', 'tail', '--since', '1h', '--name', 'prefect.flow-run.', '--limit', '2']

  test('prints one line for each event', async () => {
    expect(await millrace(...flowRuns)).toMatchInlineSnapshot(`
      "<time>  prefect.flow-run.Running  loader (prefect.flow-run.1)
      <time>  prefect.flow-run.Failed  loader (prefect.flow-run.1)"
    `)
    expect(await millrace(...flowRuns, '-o', 'wide')).toMatchInlineSnapshot(`
      "<time>  prefect.flow-run.Running  loader (prefect.flow-run.1)  <id>
      <time>  prefect.flow-run.Failed  loader (prefect.flow-run.1)  <id>"
    `)
  })

  test('prints JSON lines and YAML documents', async () => {
    const { stdout } = await server.millrace(...flowRuns, '-o', 'json')
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['prefect.flow-run.Running', 'prefect.flow-run.Failed'])
    expect((await server.millrace(...flowRuns, '-o', 'yaml')).stdout.match(/^---$/gm)).toHaveLength(2)
  })

  test('ends with exit code 0 after Ctrl-C', async () => {
    const interrupt = new AbortController()
    let stdout = ''
    const code = await run(['--server', server.url, 'event', 'tail', '--since', '8m', '--resource', 'prefect.flow-run.1'], {
      stdout: {
        write(text) {
          stdout += text
          interrupt.abort()
        },
      },
      stderr: { write: () => expect.unreachable() },
      stdin: Readable.from([]),
      env: { HOME: '/nonexistent' },
      signal: interrupt.signal,
    })
    expect(code).toBe(0)
    expect(screen({ code, stdout, stderr: '' })).toMatchInlineSnapshot(`"<time>  prefect.flow-run.Failed  loader (prefect.flow-run.1)"`)
  })

  test('ends with exit code 24 without a server', async () => {
    expect((await runCli(['--server', 'http://127.0.0.1:1', 'event', 'tail'])).code).toBe(24)
  })
})
