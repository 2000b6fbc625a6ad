import { type LogLevel, levelOfSeverity } from '../lib/log-level.ts'
import type { Micros } from '../lib/time.ts'
import type { AttributeValue, Span, SpanKind } from './span.ts'

/** The JSON encoding of OTLP, see opentelemetry.io/docs/specs/otlp. Ids are hexadecimal, 64-bit numbers are texts. */

type OtlpValue = { stringValue: string } | { boolValue: boolean } | { intValue: string } | { doubleValue: number }
export interface OtlpAttribute {
  readonly key: string
  readonly value: OtlpValue
}

export type Attributes = Readonly<Record<string, AttributeValue>>

export const otlpAttributes = (attributes: Attributes): OtlpAttribute[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }))

function otlpValue(value: AttributeValue): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const nanoseconds = (time: Micros): string => `${time}000`

const scope = { name: 'millrace' }
const spanKinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const statusError = 2

export function otlpTraces(resource: Attributes, spans: readonly Span[]): object {
  return { resourceSpans: [{ resource: { attributes: otlpAttributes(resource) }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }] }
}

function otlpSpan({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, links, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: otlpAttributes(attributes),
    ...(links.length === 0 ? {} : { links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })) }),
    status: error === undefined ? {} : { code: statusError, message: error },
  }
}

/** A log line of the server, as Pino writes it. */
export interface LogLine {
  readonly level: number
  /** Unix time in milliseconds. */
  readonly time: number
  readonly msg?: string
  readonly trace_id?: string
  readonly span_id?: string
}

const severityNumbers: Readonly<Record<LogLevel, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21, silent: 0 }

/** Fields of every line that are the resource or have a place of their own. */
const knownFields = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'trace_id', 'span_id'])

export function otlpLogs(resource: Attributes, lines: readonly LogLine[]): object {
  return { resourceLogs: [{ resource: { attributes: otlpAttributes(resource) }, scopeLogs: [{ scope, logRecords: lines.map(otlpLogRecord) }] }] }
}

function otlpLogRecord(line: LogLine): object {
  const level = levelOfSeverity(line.level)
  const attributes = Object.entries(line).flatMap(([key, value]) => (knownFields.has(key) ? [] : [[key, toAttribute(value)] as const]))
  return {
    timeUnixNano: `${line.time}000000`,
    severityNumber: severityNumbers[level],
    severityText: level.toUpperCase(),
    body: { stringValue: line.msg ?? '' },
    attributes: otlpAttributes(Object.fromEntries(attributes)),
    ...(line.trace_id === undefined ? {} : { traceId: line.trace_id, spanId: line.span_id }),
  }
}

const toAttribute = (value: unknown): AttributeValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)

type Labels = Readonly<Partial<Record<string, string | number>>>

/** A metric as `prom-client` describes it. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  /** `counter`, `gauge` or `histogram`. The types of the library say that it is a number. */
  readonly type: unknown
  readonly values: readonly { readonly value: number; readonly labels: Labels; readonly metricName?: string }[]
}

const cumulative = 2

/** Counters and histograms are cumulative since `start`. */
export function otlpMetrics(resource: Attributes, families: readonly MetricFamily[], start: Micros, now: Micros): object {
  const times = { startTimeUnixNano: nanoseconds(start), timeUnixNano: nanoseconds(now) }
  const metrics = families.map((family) => ({ name: family.name, description: family.help, ...otlpPoints(family, times) }))
  return { resourceMetrics: [{ resource: { attributes: otlpAttributes(resource) }, scopeMetrics: [{ scope, metrics }] }] }
}

function otlpPoints(family: MetricFamily, times: object): object {
  if (family.type === 'histogram') return { histogram: { aggregationTemporality: cumulative, dataPoints: histogramPoints(family, times) } }
  const dataPoints = family.values.map(({ value, labels }) => ({ ...times, asDouble: value, attributes: labelAttributes(labels) }))
  return family.type === 'counter' ? { sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } } : { gauge: { dataPoints } }
}

const labelAttributes = (labels: Labels): OtlpAttribute[] =>
  otlpAttributes(Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])))

/** Buckets of Prometheus contain those below them; buckets of OTLP do not. */
function histogramPoints({ name, values }: MetricFamily, times: object): object[] {
  const points = new Map<string, { labels: Labels; bounds: number[]; totals: number[]; sum: number; count: number }>()
  for (const { value, labels, metricName } of values) {
    const { le, ...rest } = labels
    const key = JSON.stringify(rest)
    const point = points.get(key) ?? { labels: rest, bounds: [], totals: [], sum: 0, count: 0 }
    points.set(key, point)
    if (metricName === `${name}_sum`) point.sum = value
    else if (metricName === `${name}_count`) point.count = value
    else if (le !== '+Inf') {
      point.bounds.push(Number(le))
      point.totals.push(value)
    }
  }
  return [...points.values()].map(({ labels, bounds, totals, sum, count }) => ({
    ...times,
    attributes: labelAttributes(labels),
    count: String(count),
    sum,
    explicitBounds: bounds,
    bucketCounts: [...totals, count].map((total, index) => String(total - (totals[index - 1] ?? 0))),
  }))
}
