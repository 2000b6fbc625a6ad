import { AggregatorRegistry, Registry } from 'prom-client'
import Type from 'typebox'
import { Download, type Route, route } from '../lib/route.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { DatabaseMetrics } from './database-metrics.ts'
import { processMetrics } from './process-metrics.ts'
import type { ServerMetrics } from './server-metrics.ts'

/** The metrics of one process, in a form that can be sent to another. */
export type ProcessSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Asks the other processes of this server; empty for a server of one process. */
export type AskOthers = () => Promise<readonly ProcessSnapshot[]>

/** All metrics of a server. */
export class MetricsReader {
  readonly #server: ServerMetrics
  readonly #database: DatabaseMetrics

  constructor(context: ServerContext, server: ServerMetrics) {
    this.#server = server
    this.#database = new DatabaseMetrics(context)
    // Measures from the start of the server, not from the first reading.
    processMetrics()
  }

  /** The text format of Prometheus. The processes of a server are added up, because a scraper reaches any of them. */
  async text(askOthers: AskOthers): Promise<string> {
    const known = await this.#readDatabase()
    const others = await askOthers()
    const own = others.length === 0 ? this.#ownRegistry() : AggregatorRegistry.aggregate([await this.snapshot(), ...others] as object[])
    const texts = [await own.metrics(), await known?.metrics()]
    return texts.filter((text) => text !== undefined).join('\n')
  }

  /** What this process knows without the database. */
  snapshot(): Promise<ProcessSnapshot> {
    return this.#ownRegistry().getMetricsAsJSON()
  }

  /** The snapshot and what the database knows. */
  async families(): Promise<ProcessSnapshot> {
    const known = await this.#readDatabase()
    return [...(await this.snapshot()), ...((await known?.getMetricsAsJSON()) ?? [])]
  }

  #ownRegistry(): Registry {
    return Registry.merge([processMetrics(), this.#server.registry])
  }

  /** Undefined while the database is unavailable, when the other metrics are needed most. */
  #readDatabase(): Promise<Registry | undefined> {
    return this.#database.refresh().then(
      () => this.#database.registry,
      () => undefined,
    )
  }
}

export function metricsRoutes({ config }: ServerContext, reader: MetricsReader, askOthers: AskOthers): Route[] {
  if (!config.server.metrics_enabled) return []
  return [
    route(
      {
        method: 'GET',
        path: '/metrics',
        tag: 'Root',
        summary: 'Read the metrics in the text format of Prometheus',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
      },
      async () => new Download(Registry.PROMETHEUS_CONTENT_TYPE, await reader.text(askOthers)),
    ),
  ]
}
