import { flag, group, interval, ratio, secretText, text } from './setting.ts'

/** What is sent to an OpenTelemetry collector. */
export const telemetry = group({
  otlp_endpoint: text(
    '',
    'Address of an OpenTelemetry collector that gets traces, logs and metrics as OTLP over HTTP with JSON; without it none are sent.',
    {
      pattern: '^(https?://[^\\s?#]+)?$',
      form: 'an address such as `http://127.0.0.1:4318`',
      aliases: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    },
  ),
  otlp_headers: secretText('Headers for the collector.', { form: '`name=value,name=value`', aliases: ['OTEL_EXPORTER_OTLP_HEADERS'] }),
  service_name: text('millrace', 'Name of this server in traces, logs and metrics.', { minLength: 1, aliases: ['OTEL_SERVICE_NAME'] }),
  traces: flag(true, 'Whether traces are sent to the collector.'),
  sample_ratio: ratio(1, 'Share of the traces without a sampling decision of the client that are sent, from 0 to 1.', {
    aliases: ['OTEL_TRACES_SAMPLER_ARG'],
  }),
  metrics: flag(true, 'Whether metrics are sent to the collector.'),
  metrics_seconds: interval(60, 'Seconds between two readings of the metrics for the collector.'),
  logs: flag(true, 'Whether the log of the server is sent to the collector too.'),
  flush_seconds: interval(5, 'Longest time that traces and log messages wait before they are sent.'),
})
