import { type App, type AppOptions, assembleApp } from './assemble-app.ts'
import type { Config } from './config.ts'
import { checkKeys } from './domains/blocks/key-store.ts'
import { type MachineClock, machineClock, systemClock } from './lib/time.ts'
import { prepareBlocks } from './domains/blocks/install-system-blocks.ts'
import { readiness } from './domains/admin/readiness.ts'
import { retentionRoutes } from './domains/admin/retention-routes.ts'
import { adminRoutes, rootRoutes } from './domains/admin/routes.ts'
import { artifactRoutes } from './domains/artifacts/routes.ts'
import { collectionRoutes } from './domains/blocks/collection-routes.ts'
import { defaultStorageRoutes } from './domains/blocks/default-storage-routes.ts'
import { blockDocumentRoutes } from './domains/blocks/document-routes.ts'
import { blockSchemaRoutes } from './domains/blocks/schema-routes.ts'
import { blockTypeRoutes } from './domains/blocks/type-routes.ts'
import { limitHolderRoutes } from './domains/concurrency-limits/holder-routes.ts'
import { concurrencyLimitRoutes } from './domains/concurrency-limits/routes.ts'
import { slotWaitQueue } from './domains/concurrency-limits/slot-wait-queue.ts'
import { tagLimitRoutes } from './domains/concurrency-limits/tag-routes.ts'
import { csrfRoutes } from './domains/csrf/routes.ts'
import { isValidToken } from './domains/csrf/token.ts'
import { deploymentRoutes } from './domains/deployments/routes.ts'
import { schedulePreviewRoutes } from './domains/deployments/schedule-preview-routes.ts'
import { deploymentScheduleRoutes } from './domains/deployments/schedule-routes.ts'
import { deploymentRunRoutes } from './domains/flow-runs/deployment-run-routes.ts'
import { flowRunGraphRoutes } from './domains/flow-runs/graph-routes.ts'
import { flowRunHistoryRoutes } from './domains/flow-runs/history-routes.ts'
import { flowRunInputRoutes } from './domains/flow-runs/input-routes.ts'
import { heartbeatConnections, heartbeatRecorder } from './domains/flow-runs/record-heartbeats.ts'
import { flowRunRoutes } from './domains/flow-runs/routes.ts'
import { flowRunUiRoutes } from './domains/flow-runs/ui-routes.ts'
import { flowRoutes } from './domains/flows/routes.ts'
import { flowUiRoutes } from './domains/flows/ui-routes.ts'
import { formValueUiRoutes } from './domains/form-values/ui-routes.ts'
import { logRoutes } from './domains/logs/routes.ts'
import { logSocket } from './domains/logs/socket.ts'
import { runStateRoutes } from './domains/run-states/routes.ts'
import { verdictRoutes } from './domains/run-states/verdict-routes.ts'
import { savedSearchRoutes } from './domains/saved-searches/routes.ts'
import { schemaValidator } from './domains/schema-validator.ts'
import { taskRunRecorder } from './domains/task-runs/record-events.ts'
import { taskRunRoutes } from './domains/task-runs/routes.ts'
import { taskRunUiRoutes } from './domains/task-runs/ui-routes.ts'
import { taskWorkerRoutes } from './domains/task-workers/routes.ts'
import { taskWorkerSocket } from './domains/task-workers/socket.ts'
import { variableRoutes } from './domains/variables/routes.ts'
import { workPoolRoutes } from './domains/work-pools/routes.ts'
import { workerChannel } from './domains/work-pools/worker-channel.ts'
import { poolQueueRoutes } from './domains/work-queues/pool-routes.ts'
import { workQueueRoutes } from './domains/work-queues/routes.ts'
import { workerRoutes } from './domains/workers/routes.ts'
import { unavailable } from './errors.ts'
import { createIngest } from './events/ingest.ts'
import { createEventWriter } from './events/outbox.ts'
import { eventRoutes } from './events/routes.ts'
import { eventSockets } from './events/socket.ts'
import { basicAuth, isSameSecret } from './http/auth.ts'
import { ByteBudget } from './http/byte-budget.ts'
import { compressLargeResponses } from './http/compress.ts'
import { trackConnections } from './http/connections.ts'
import { csrfCheck } from './http/csrf.ts'
import { createHostCheck } from './http/host-check.ts'
import { openApiRoutes } from './http/openapi.ts'
import { createOriginCheck } from './http/origin-check.ts'
import { createServer } from './http/server.ts'
import { dashboardFolder, serveDashboard } from './http/static-dashboard.ts'
import { registerWebSockets } from './http/websocket.ts'
import { createBus } from './lib/bus.ts'
import { createIdGenerator } from './lib/ids.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { Route } from './lib/route.ts'
import { SliceScheduler } from './lib/slice-scheduler.ts'
import type { SocketRoute } from './lib/socket.ts'
import { afterSeconds, type Clock, monotonicSeconds } from './lib/time.ts'
import { ValueBudget } from './lib/value-budget.ts'
import { allServices } from './services/all-services.ts'
import { type RunningServices, startServices } from './services/loop.ts'
import { type ClockSync, followDatabaseClock } from './storage/clock-sync.ts'
import { checkSchema, migrate } from './storage/migrate.ts'
import type { Pool } from './storage/pool.ts'
import { openPostgres } from './storage/postgres/connect.ts'
import { perServer, type ServerContext } from './storage/server-context.ts'
import { openSqlite, type SqliteOptions } from './storage/sqlite/connect.ts'

export type { App, AppOptions }

/**
 * Opens the database and builds a server that does not listen yet. `main.ts` starts it; tests call it. Throws a `StartupError` if the database or
 * the keys cannot be used.
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, machine = machineClock() } = options
  const holder = { name: options.lockHolderName ?? 'another server', now: options.clock?.now() ?? machine.wall() }
  const pool = openPool(config, options.skipsFileLock ? {} : { holder })
  try {
    checkKeys(config)
    await pool.waitUntilReachable?.({ timeoutSeconds: config.database.connect_timeout_seconds, onWait: options.onWait ?? (() => {}) })
    const sync = options.clock ? undefined : await startClockSync(pool, machine)
    const clock = options.clock ?? sync?.clock ?? systemClock()
    await (config.database.migrate_on_start ? migrate(pool, clock) : checkSchema(pool))
    await pool.start?.()
    return await assembleApp({ pool, clock, sync }, options)
  } catch (error) {
    await pool.close().catch(() => undefined)
    throw pool.explainStartError(error) ?? error
  }
}

/** Returns undefined for a database without a clock of its own. */
async function startClockSync({ dialect, reads }: Pool, machine: MachineClock): Promise<ClockSync | undefined> {
  return dialect.clockQuery === null ? undefined : followDatabaseClock(reads, dialect.clockQuery, machine)
}

function openPool(config: Config, options: SqliteOptions): Pool {
  const { url, pool_size, statement_timeout_seconds } = config.database
  if (url.startsWith('sqlite:')) return openSqlite(url, options)
  return openPostgres(url, { poolSize: pool_size, statementTimeoutSeconds: statement_timeout_seconds, onError: () => {} })
}
