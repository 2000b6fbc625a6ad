import { AggregatorRegistry, Registry } from 'prom-client'
import Type from 'typebox'
import { Download, type Route, route } from '../lib/route.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { DatabaseMetrics } from './database-metrics.ts'
import { processMetrics } from './process-metrics.ts'
import type { ServerMetrics } from './server-metrics.ts'

/** The metrics of one process, in a form that can be sent to another. */
export type ProcessSnapshot = readonly object[]

/** Asks the other processes of this server; empty for a server of one process. */
export type AskOthers = () => Promise<readonly ProcessSnapshot[]>

export function metricsRoutes(context: ServerContext, metrics: ServerMetrics, askOthers: AskOthers): Route[] {
  if (!context.config.server.metrics_enabled) return []
  // Measures from the start of the server, not from the first scrape.
  processMetrics()
  const database = new DatabaseMetrics(context)
  return [
    route(
      {
        method: 'GET',
        path: '/metrics',
        tag: 'Root',
        summary: 'Read the metrics in the text format of Prometheus',
        scope: 'server:read',
        responses: { 200: Type.String() },
      },
      async () => new Download(Registry.PROMETHEUS_CONTENT_TYPE, await metricsText(metrics, database, askOthers)),
    ),
  ]
}

/** The processes of a server are added up, because a scraper reaches any of them. */
async function metricsText(server: ServerMetrics, database: DatabaseMetrics, askOthers: AskOthers): Promise<string> {
  // Without the database the other metrics are needed most.
  const known = await database.refresh().then(
    () => database.registry,
    () => undefined,
  )
  const others = await askOthers()
  const own = others.length === 0 ? ownRegistry(server) : AggregatorRegistry.aggregate([await takeSnapshot(server), ...others] as object[])
  const texts = [await own.metrics(), await known?.metrics()]
  return texts.filter((text) => text !== undefined).join('\n')
}

export const takeSnapshot = async (server: ServerMetrics): Promise<ProcessSnapshot> => ownRegistry(server).getMetricsAsJSON()

const ownRegistry = (server: ServerMetrics): Registry => Registry.merge([processMetrics(), server.registry])
