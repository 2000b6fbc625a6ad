import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import { systemRandom } from '../lib/random.ts'
import { repeatEvery, systemClock } from '../lib/time.ts'
import { version } from '../version.ts'
import { type ExporterOptions, OtlpExporter } from './otlp-exporter.ts'
import { type Attributes, type LogLine, type MetricFamily, otlpLogs, otlpMetrics, otlpTraces } from './otlp-json.ts'
import type { Span } from './span.ts'
import { Tracer } from './tracer.ts'

/** Sends traces, logs and metrics of a server to an OpenTelemetry collector. */
export interface Telemetry {
  /** Undefined if traces are off. */
  readonly tracer: Tracer | undefined
  /** Sends a line of the log; undefined if logs are off. */
  readonly log: ((line: LogLine) => void) | undefined
  /** Reads and sends the metrics at each interval. */
  startMetrics(read: () => Promise<readonly MetricFamily[]>): void
  close(): Promise<void>
}

/** Undefined without the address of a collector. */
export function createTelemetry(config: Config, onLoss: (message: string) => void): Telemetry | undefined {
  const settings = config.telemetry
  if (settings.otlp_endpoint === '') return undefined
  const resource: Attributes = {
    'service.name': settings.service_name,
    'service.version': version,
    'service.instance.id': `${hostname()}:${process.pid}`,
  }
  const options: ExporterOptions = {
    endpoint: settings.otlp_endpoint,
    headers: parseHeaders(settings.otlp_headers ?? ''),
    flushSeconds: settings.flush_seconds,
    onLoss,
  }
  const spans = new OtlpExporter<Span>('traces', (items) => otlpTraces(resource, items), options)
  const lines = new OtlpExporter<LogLine>('logs', (items) => otlpLogs(resource, items), options)
  const clock = systemClock()
  const start = clock.now()
  const readings = new OtlpExporter<readonly MetricFamily[]>('metrics', (items) => otlpMetrics(resource, items.at(-1) ?? [], start, clock.now()), {
    ...options,
    flushSeconds: 0,
  })
  let stopMetrics = () => {}
  return {
    tracer: settings.traces
      ? new Tracer({ clock, random: systemRandom(), sampleRatio: settings.sample_ratio, finish: (span) => spans.add(span) })
      : undefined,
    log: settings.logs ? (line) => lines.add(line) : undefined,
    startMetrics(read) {
      if (!settings.metrics) return
      stopMetrics = repeatEvery(settings.metrics_seconds, () => {
        read().then(
          (families) => readings.add(families),
          (error) => onLoss(`The metrics could not be read: ${error instanceof Error ? error.message : String(error)}`),
        )
      })
    },
    async close() {
      stopMetrics()
      await Promise.all([spans.close(), lines.close(), readings.close()])
    },
  }
}

/** `key=value,key=value`, with percent-encoding, as in OTEL_EXPORTER_OTLP_HEADERS. */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=')
    return key.trim() === '' ? [] : [[key.trim().toLowerCase(), decodeURIComponent(value.join('=').trim())] as const]
  })
  return Object.fromEntries(pairs)
}
