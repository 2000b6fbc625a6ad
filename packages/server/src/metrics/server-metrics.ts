import { stateTypes } from '@millrace/contracts/state.ts'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EventRecord } from '../lib/event-record.ts'
import { version } from '../version.ts'
import { BucketCounts } from './bucket-counts.ts'

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const writeSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const batchCommands = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const passSeconds = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]

export interface WriteBatch {
  readonly commands: number
  /** From the start of the transaction to the acknowledged commit. */
  readonly seconds: number
}

type RunKind = 'flow-run' | 'task-run'

interface RouteResponses {
  readonly method: string
  readonly route: string
  readonly durations: BucketCounts
  /** Responses by status since the counter was last read. */
  readonly statuses: Map<number, number>
}

/** What a server measures about its own work. Every name is documented in docs/metrics.md, which a test compares with this file. */
export class ServerMetrics {
  readonly registry = new Registry()
  readonly #requests = new Counter({
    name: 'millrace_http_requests_total',
    help: 'Responses by route and status code.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
    collect: () => this.#addResponses(),
  })
  readonly #transitions = new Counter({
    name: 'millrace_state_transitions_total',
    help: 'Committed state changes by kind of run and new state type.',
    labelNames: ['kind', 'state_type'],
    registers: [this.registry],
    collect: () => this.#addTransitions(),
  })
  readonly #events = new Counter({
    name: 'millrace_events_written_total',
    help: 'Events that this process added to the event log.',
    registers: [this.registry],
  })
  readonly #writeSeconds = this.#histogram(
    'millrace_write_duration_seconds',
    'Time of a write transaction, including its commit to the disk.',
    writeSeconds,
  )
  readonly #batchCommands = this.#histogram('millrace_write_batch_commands', 'Commands that shared a write transaction.', batchCommands)
  readonly #sockets = new Gauge({
    name: 'millrace_websocket_connections',
    help: 'Open WebSocket connections by route.',
    labelNames: ['route'],
    registers: [this.registry],
  })
  readonly #passes = new Counter({
    name: 'millrace_service_passes_total',
    help: 'Passes of the background services.',
    labelNames: ['service', 'outcome'],
    registers: [this.registry],
  })
  readonly #passSeconds = new Histogram({
    name: 'millrace_service_pass_duration_seconds',
    help: 'Time of a pass of a background service.',
    labelNames: ['service'],
    buckets: passSeconds,
    registers: [this.registry],
  })
  readonly #passItems = new Counter({
    name: 'millrace_service_items_total',
    help: 'What the background services did, such as scheduled runs, late runs and trimmed rows.',
    labelNames: ['service', 'item'],
    registers: [this.registry],
  })
  /** A metric of the library hashes its labels at each call. So what is frequent is counted here, and read from here with the metrics. */
  readonly #responsesByRoute = new Map<string, Map<string, RouteResponses>>()
  readonly #newTransitions: Readonly<Record<RunKind, Map<string, number>>> = { 'flow-run': new Map(), 'task-run': new Map() }

  constructor() {
    const registers = [this.registry]
    this.#register(
      'millrace_http_request_duration_seconds',
      'Time from the request to the end of its response, by route. State transitions are routes that end in /set_state, polls those that end in /get_scheduled_flow_runs.',
      (name) => this.#durationValues(name),
    )
    new Gauge({
      name: 'millrace_build_info',
      help: 'The version of this server. Its value is 1.',
      labelNames: ['version'],
      aggregator: 'first',
      registers,
    }).set({ version }, 1)
  }

  #histogram(name: string, help: string, bounds: readonly number[]): BucketCounts {
    const counts = new BucketCounts(bounds)
    this.#register(name, help, () => counts.values(name))
    return counts
  }

  /** Adds a histogram that is counted here. The registry uses these two properties of a metric. */
  #register(name: string, help: string, values: (name: string) => object[]): void {
    const metric = { name, get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values(name) }) }
    this.registry.registerMetric(metric as unknown as Histogram)
  }

  recordRequest(method: string, route: string, status: number, seconds: number): void {
    const responses = this.#responsesOf(method, route)
    responses.durations.observe(seconds)
    countOne(responses.statuses, status)
  }

  #responsesOf(method: string, route: string): RouteResponses {
    const known = this.#responsesByRoute.get(route)?.get(method)
    if (known) return known
    const responses: RouteResponses = { method, route, durations: new BucketCounts(requestSeconds), statuses: new Map() }
    const methods = this.#responsesByRoute.get(route) ?? new Map<string, RouteResponses>()
    this.#responsesByRoute.set(route, methods.set(method, responses))
    return responses
  }

  #durationValues(name: string): object[] {
    return [...this.#responsesByRoute.values()].flatMap((methods) =>
      [...methods.values()].flatMap(({ method, route, durations }) => durations.values(name, { method, route })),
    )
  }

  #addResponses(): void {
    for (const [route, methods] of this.#responsesByRoute) {
      for (const [method, { statuses }] of methods) {
        for (const [status, count] of statuses) this.#requests.inc({ method, route, status }, count)
        statuses.clear()
      }
    }
  }

  recordBatch({ commands, seconds }: WriteBatch): void {
    this.#batchCommands.observe(commands)
    this.#writeSeconds.observe(seconds)
  }

  recordEvents(events: readonly EventRecord[]): void {
    if (events.length === 0) return
    this.#events.inc(events.length)
    for (const { resource } of events) {
      const type = resource['prefect.state-type']
      const kind = runKind(resource['prefect.resource.id'] ?? '')
      if (kind !== undefined && type !== undefined && knownTypes.has(type)) countOne(this.#newTransitions[kind], type)
    }
  }

  #addTransitions(): void {
    for (const [kind, types] of Object.entries(this.#newTransitions)) {
      for (const [state_type, count] of types) this.#transitions.inc({ kind, state_type }, count)
      types.clear()
    }
  }

  /** Returns a function to call when the connection ends. */
  openSocket(route: string): () => void {
    const gauge = this.#sockets.labels(route)
    gauge.inc()
    return () => gauge.dec()
  }

  /** `report` has the counts of a pass; undefined when it failed. */
  recordPass(service: string, seconds: number, report: Readonly<Record<string, number>> | undefined): void {
    this.#passes.inc({ service, outcome: report ? 'finished' : 'failed' })
    this.#passSeconds.observe({ service }, seconds)
    for (const [item, count] of Object.entries(report ?? {})) if (count > 0) this.#passItems.inc({ service, item }, count)
  }

  /** Reports a value that is read when the metrics are. */
  watch(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }
}

const knownTypes = new Set<string>(stateTypes)

const countOne = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

function runKind(resourceId: string): RunKind | undefined {
  if (resourceId.startsWith('prefect.flow-run.')) return 'flow-run'
  return resourceId.startsWith('prefect.task-run.') ? 'task-run' : undefined
}
