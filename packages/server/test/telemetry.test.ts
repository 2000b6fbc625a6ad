import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { startCollector } from './otlp-collector.ts'
import { startServerProcess } from './server-process.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${clientSpanId}-01`

/** Runs a flow run through its states as a traced client. */
async function runFlow(url: string): Promise<string> {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', traceparent },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as { id: string }
  }
  const flow = await call('POST', '/flows/', { name: 'etl' })
  const run = await call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })
  for (const type of ['RUNNING', 'COMPLETED']) await call('POST', `/flow_runs/${run.id}/set_state`, { state: { type } })
  await call('GET', `/flow_runs/${run.id}`)
  return run.id
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`sends the spans of a flow run, the log and the metrics to a collector (${database})`, { timeout: 60_000 }, async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.stop())
    const { url: databaseUrl, drop } = database === 'sqlite' ? { url: 'sqlite::memory:', drop: async () => {} } : await migratedPostgres()
    onTestFinished(drop)
    const server = await startServerProcess(databaseUrl, [], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=data%20platform',
      OTEL_SERVICE_NAME: 'orchestration',
      MILLRACE_TELEMETRY_METRICS_SECONDS: '0.5',
      MILLRACE_TELEMETRY_FLUSH_SECONDS: '0.1',
      MILLRACE_SERVER_LOG_LEVELS: 'http=debug',
    })
    onTestFinished(() => void server.child.kill('SIGKILL'))
    // The first batch is refused for now, and sent again.
    collector.answers.push(503)
    const runId = await runFlow(server.url)

    const requests = () => collector.spans.filter(({ parentSpanId }) => parentSpanId === clientSpanId)
    await expect.poll(() => requests().length, { timeout: 20_000 }).toBe(5)
    expect(requests().map(({ name }) => name)).toEqual([
      'POST /flows/',
      'POST /flow_runs/',
      'POST /flow_runs/:id/set_state',
      'POST /flow_runs/:id/set_state',
      'GET /flow_runs/:id',
    ])
    const running = requests()[2]
    expect(running).toMatchObject({
      traceId,
      kind: 2,
      attributes: { 'http.response.status_code': 201, 'millrace.flow_run.id': runId },
      resource: { 'service.name': 'orchestration' },
    })
    const childrenOf = (spanId: string | undefined) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
    const [write] = childrenOf(running?.spanId)
    expect(write).toMatchObject({ traceId, name: 'write', attributes: { 'millrace.batch.commands': expect.any(Number) } })
    // Commands of another request may be in the same transaction, which is then linked.
    const transactions = [
      ...childrenOf(write?.spanId),
      ...collector.spans.filter(({ spanId }) => write?.links.some((link) => link.spanId === spanId)),
    ]
    expect(transactions).toMatchObject([
      { traceId, name: 'transaction', kind: 3, attributes: { 'db.system.name': database === 'sqlite' ? 'sqlite' : 'postgresql' } },
    ])
    const [read] = childrenOf(requests()[4]?.spanId)
    expect(read).toMatchObject({ name: 'read', attributes: { 'db.response.returned_rows': 1 } })
    expect(read?.attributes['db.query.text']).not.toContain(runId)

    await expect
      .poll(() => collector.metrics.get('millrace_state_transitions_total')?.points ?? [], { timeout: 10_000 })
      .toContainEqual({
        value: 1,
        attributes: { kind: 'flow-run', state_type: 'COMPLETED' },
      })
    expect(collector.metrics.get('millrace_http_request_duration_seconds')?.kind).toBe('histogram')
    await expect.poll(() => collector.logs.filter(({ body }) => body === 'answered a request').length, { timeout: 10_000 }).toBeGreaterThanOrEqual(5)
    expect(collector.logs.find(({ attributes }) => attributes.path === `/flow_runs/${runId}`)).toMatchObject({
      severity: 'DEBUG',
      attributes: { room: 'http', status: 200 },
      traceId,
    })
    expect(collector.headers[0]).toMatchObject({ 'x-team': 'data platform' })
    expect(collector.problems).toEqual([])
    // What waits is sent before the exit.
    expect(await server.kill('SIGTERM')).toBe(0)
  })
}

test('serves requests while the collector is unreachable', { timeout: 60_000 }, async () => {
  const server = await startServerProcess('sqlite::memory:', [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    MILLRACE_TELEMETRY_FLUSH_SECONDS: '0.1',
  })
  onTestFinished(() => void server.child.kill('SIGKILL'))
  await runFlow(server.url)
  expect(await server.kill('SIGTERM')).toBe(0)
})
