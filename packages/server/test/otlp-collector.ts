import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type OtlpValue = { stringValue?: string; boolValue?: boolean; intValue?: string; doubleValue?: number }
type OtlpAttributes = { key: string; value: OtlpValue }[]

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly nanoseconds: bigint
  readonly attributes: Record<string, unknown>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly resource: Record<string, unknown>
}

/** A stand-in for an OpenTelemetry collector: decodes OTLP over HTTP with JSON, and answers 400 to what is not. */
export async function startCollector() {
  const spans: ReceivedSpan[] = []
  const logs: { body: string; severity: string; traceId: string | undefined; attributes: Record<string, unknown> }[] = []
  const metrics = new Map<string, { kind: string; points: { value: number; attributes: Record<string, unknown> }[] }>()
  const headers: Record<string, unknown>[] = []
  const problems: string[] = []
  const answers: number[] = []

  // biome-ignore lint/suspicious/noExplicitAny: decoded step by step
  const decode: Record<string, (body: any) => void> = {
    '/v1/traces': (body) => {
      for (const { resource, scopeSpans } of body.resourceSpans)
        for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
          requireForm(span.traceId, /^[0-9a-f]{32}$/)
          requireForm(span.spanId, /^[0-9a-f]{16}$/)
          if (span.parentSpanId !== undefined) requireForm(span.parentSpanId, /^[0-9a-f]{16}$/)
          for (const time of [span.startTimeUnixNano, span.endTimeUnixNano]) requireForm(time, /^\d{19}$/)
          const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)
          if (nanoseconds < 0n) throw new Error(`${span.name} ends before it starts`)
          const { traceId, spanId, parentSpanId, name, kind, links = [] } = span
          spans.push({
            traceId,
            spanId,
            parentSpanId,
            name,
            kind,
            nanoseconds,
            links,
            attributes: read(span.attributes),
            resource: read(resource.attributes),
          })
        }
    },
    '/v1/logs': (body) => {
      for (const { scopeLogs } of body.resourceLogs)
        for (const record of scopeLogs.flatMap((scope: { logRecords: unknown[] }) => scope.logRecords)) {
          requireForm(record.timeUnixNano, /^\d{19}$/)
          logs.push({ body: record.body.stringValue, severity: record.severityText, traceId: record.traceId, attributes: read(record.attributes) })
        }
    },
    '/v1/metrics': (body) => {
      for (const { scopeMetrics } of body.resourceMetrics)
        for (const metric of scopeMetrics.flatMap((scope: { metrics: unknown[] }) => scope.metrics)) {
          const kind = ['sum', 'gauge', 'histogram'].find((name) => metric[name])
          if (!kind) throw new Error(`${metric.name} has no points`)
          const points = metric[kind].dataPoints.map((point: Record<string, never>) => {
            if (kind === 'histogram') checkHistogram(metric.name, point)
            return { value: kind === 'histogram' ? Number(point.count) : point.asDouble, attributes: read(point.attributes ?? []) }
          })
          metrics.set(metric.name, { kind, points })
        }
    },
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    headers.push(request.headers)
    const answer = answers.shift() ?? 200
    if (answer !== 200) return void response.writeHead(answer).end()
    try {
      const read = decode[request.url ?? '']
      if (!read) throw new Error(`no such path: ${request.url}`)
      read(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } catch (error) {
      problems.push(String(error))
      response.writeHead(400).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs,
    metrics,
    headers,
    problems,
    /** Statuses of the next answers. */
    answers,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function requireForm(value: unknown, form: RegExp): void {
  if (typeof value !== 'string' || !form.test(value)) throw new Error(`${JSON.stringify(value)} is not ${form}`)
}

function checkHistogram(name: string, point: { count?: string; bucketCounts?: string[]; explicitBounds?: number[] }): void {
  const { count = '', bucketCounts = [], explicitBounds = [] } = point
  const sum = bucketCounts.reduce((total, bucket) => total + Number(bucket), 0)
  if (bucketCounts.length !== explicitBounds.length + 1 || sum !== Number(count) || bucketCounts.some((bucket) => Number(bucket) < 0))
    throw new Error(`${name}: the buckets do not add up`)
}

function read(attributes: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue)]),
  )
}
