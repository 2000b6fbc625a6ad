import type { RunRecord } from '@millrace/contracts/run-report.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFlowRun, Reporter } from '../../server/test/run-reports.ts'
import { InvalidRequestError } from '../src/errors.ts'
import type { ReportStream } from '../src/subscriptions/report-stream.ts'
import { startTestServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.drop())

async function aStream(): Promise<{ run: Reporter; stream: ReportStream }> {
  const run = new Reporter(await aFlowRun(server.app))
  const stream = server.client().runs.openReportStream()
  const [started] = await stream.send([run.state('RUNNING')])
  expect(started).toMatchObject({ status: 'accepted', attempt: 1 })
  run.attempt = 1
  return { run, stream }
}

const linesOf = async (flowRun: string) =>
  (await server.client().logs.list({ logs: { flow_run_id: { any_: [flowRun] } } })).map(({ message }) => message)
const names = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

test('reports by a request', async () => {
  const run = new Reporter(await aFlowRun(server.app))
  const { answers } = await server.client().runs.report({ records: [run.state('RUNNING'), run.log('a')] })
  expect(answers.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
})

test('sends many messages over one connection, and returns each answer', async () => {
  const { run, stream } = await aStream()
  const records = names(40).map((line) => run.log(line))
  const answers = await Promise.all(records.map((record) => stream.send([record])))
  expect(answers.flat().map(({ number, status }) => [number, status])).toEqual(records.map(({ number }) => [number, 'accepted']))
  expect(await linesOf(run.flowRun)).toEqual(names(40))
  expect(server.app.server.websocketServer.clients.size).toBe(1)
  await stream.close()
  await expect(stream.send([])).rejects.toThrow('closed')
})

test('stores each record once when connections are lost', async () => {
  const { run, stream } = await aStream()
  const sent = names(60).map(async (line, index) => {
    if (index % 20 === 10) for (const socket of server.app.server.websocketServer.clients) socket.terminate()
    return stream.send([run.log(line)])
  })
  for (const answers of await Promise.all(sent)) expect(answers[0]?.status).toBe('accepted')
  expect(await linesOf(run.flowRun)).toEqual(names(60))
  await stream.close()
})

test('sends by requests where sockets do not pass', async () => {
  class NoSocket {
    readyState = 3
    onopen = null
    onmessage = null
    onerror = null
    onclose: ((event: object) => void) | null = null
    constructor() {
      setTimeout(() => this.onclose?.({}), 1)
    }
    send(): void {}
    close(): void {}
  }
  const run = new Reporter(await aFlowRun(server.app))
  const stream = server.client({ WebSocket: NoSocket as never }).runs.openReportStream()
  expect((await stream.send([run.log('a')]))[0]?.status).toBe('accepted')
  expect((await stream.send([run.log('b')]))[0]?.status).toBe('accepted')
  expect(await linesOf(run.flowRun)).toEqual(['a', 'b'])
})

test('rejects a message that the server cannot read, and goes on', async () => {
  const { run, stream } = await aStream()
  const invalid = stream.send([{ kind: 'log' } as unknown as RunRecord])
  const valid = stream.send([run.log('a')])
  await expect(invalid).rejects.toBeInstanceOf(InvalidRequestError)
  expect((await valid)[0]?.status).toBe('accepted')
  await stream.close()
})

test('ends with its signal', async () => {
  const controller = new AbortController()
  const stream = server.client().runs.openReportStream({ signal: controller.signal })
  await stream.send([])
  controller.abort(new Error('enough'))
  await expect(stream.send([])).rejects.toThrow('enough')
})
