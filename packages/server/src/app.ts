import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { automationRoutes } from './automations/routes.ts'
import { templateRoutes } from './automations/template-routes.ts'
import { checkClientVersion } from './compat/client-headers.ts'
import { setLeaseModeHeader } from './compat/lease-mode.ts'
import { setPreferWaitHeader } from './compat/prefer-wait.ts'
import { stripFieldsForOldClients } from './compat/strip-fields.ts'
import { copyWorkerNameHeader } from './compat/worker-name.ts'
import type { Config } from './config.ts'
import { readiness } from './domains/admin/readiness.ts'
import { retentionRoutes } from './domains/admin/retention-routes.ts'
import { adminRoutes, rootRoutes } from './domains/admin/routes.ts'
import { artifactRoutes } from './domains/artifacts/routes.ts'
import { collectionRoutes } from './domains/blocks/collection-routes.ts'
import { defaultStorageRoutes } from './domains/blocks/default-storage-routes.ts'
import { blockDocumentRoutes } from './domains/blocks/document-routes.ts'
import { checkKeys } from './domains/blocks/key-store.ts'
import { prepareBlocks } from './domains/blocks/prepare-blocks.ts'
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
import { heartbeatConnections } from './domains/flow-runs/heartbeat-connections.ts'
import { flowRunHistoryRoutes } from './domains/flow-runs/history-routes.ts'
import { flowRunInputRoutes } from './domains/flow-runs/input-routes.ts'
import { latestRunRoutes } from './domains/flow-runs/latest-routes.ts'
import { heartbeatRecorder } from './domains/flow-runs/record-heartbeats.ts'
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
import { closeSchemaValidator } from './domains/schema-validator.ts'
import { taskRunHistoryRoutes } from './domains/task-runs/history-routes.ts'
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
import { openApiRoutes } from './http/openapi-routes.ts'
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
import { afterSeconds, type Clock, type MachineClock, machineClock, monotonicSeconds, systemClock } from './lib/time.ts'
import { ValueBudget } from './lib/value-budget.ts'
import { allServices } from './services/all-services.ts'
import { type RunningServices, startServices } from './services/loop.ts'
import { type ClockSync, followDatabaseClock } from './storage/clock-sync.ts'
import { checkSchema, migrate } from './storage/migrate.ts'
import { perServer } from './storage/per-server.ts'
import type { Pool } from './storage/pool.ts'
import { openPostgres } from './storage/postgres/connect.ts'
import type { ServerContext } from './storage/server-context.ts'
import { openSqlite, type SqliteOptions } from './storage/sqlite/connect.ts'
import { ReadDb } from './storage/transaction.ts'
import { createWriteQueue } from './storage/write-queue.ts'

export interface AppOptions {
  readonly config: Config
  /** Replaces every other clock. */
  readonly clock?: Clock
  /** The clocks of the machine; on PostgreSQL the server follows the database's clock instead. */
  readonly machine?: MachineClock
  readonly random?: Random
  readonly logger?: FastifyServerOptions['logger']
  /** Where the built dashboard is, if not where it is built to. */
  readonly dashboardFolder?: string
  /** What the next process that wants the same SQLite file is told about this one. */
  readonly lockHolderName?: string
  /** Leaves a SQLite file unlocked, for tests of what servers that share a database do. */
  readonly skipsFileLock?: boolean
  /** Called when the start has to wait for the database. */
  onWait?(message: string): void
}

export interface App {
  readonly server: FastifyInstance
  readonly context: ServerContext
  readonly routes: readonly Route[]
  /** What a person should know of the database that was found. */
  readonly warnings: readonly string[]
  /** Starts the background services; `close` stops them. */
  startServices(): void
  /** Goes on answering while `/ready` is 503, until balancers send no more requests. */
  drain(): Promise<void>
  /** Takes no more requests, lets those in flight come to their end for as long as the grace lasts, and closes the database. */
  close(): Promise<void>
}

/**
 * Builds a whole server without listening: what `main.ts` starts and what tests call. The only file that knows every part. Throws a `StartupError` when
 * the database or the keys cannot be used.
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
    return await assemble(pool, clock, sync, options)
  } catch (error) {
    await pool.close().catch(() => undefined)
    throw pool.explainStartError(error) ?? error
  }
}

async function assemble(pool: Pool, clock: Clock, sync: ClockSync | undefined, options: AppOptions): Promise<App> {
  const { config } = options
  const random = options.random ?? systemRandom()
  const bus = createBus()
  const newId = createIdGenerator(clock, random)
  const writeQueue = createWriteQueue(pool, {
    writeEvents: createEventWriter(clock),
    onCommit: (topics) => {
      for (const topic of topics) bus.notify(topic)
    },
  })
  await pool.listen?.(bus)
  const context: ServerContext = { config, writeQueue, reads: new ReadDb(pool.reads, pool.dialect), clock, random, newId, bus }

  const checkCsrf = config.server.api.csrf_protection_enabled ? csrfCheck((client, token) => isValidToken(context, client, token)) : undefined
  const { auth_string, cors_allowed_origins } = config.server.api
  const authorize = basicAuth(auth_string)
  const origins = createOriginCheck({ corsOrigins: cors_allowed_origins, uiUrl: config.server.ui_url })
  const bodyBudget = new ByteBudget(config.server.body_memory_limit_bytes)
  const json = { depthMax: config.server.json_depth_limit, valuesMax: config.server.json_values_limit }
  // Two of the largest texts at once.
  const valueBudget = new ValueBudget(2 * config.server.json_values_limit)
  const slices = new SliceScheduler(monotonicSeconds)
  const api = createRoutes(context)
  const routes = [...api, ...openApiRoutes(api, config.server.base_path)]
  const server = createServer(routes, {
    basePath: config.server.base_path,
    bodyBytesMax: config.server.body_limit_bytes,
    corsOrigins: cors_allowed_origins,
    origins,
    checkAllowedHost: auth_string
      ? undefined
      : createHostCheck({ allowedHosts: config.server.allowed_hosts, uiUrl: config.server.ui_url, listenHost: config.server.host }),
    keepAliveTimeoutSeconds: config.server.keep_alive_timeout_seconds,
    json,
    valueBudget,
    slices,
    bodyBudget,
    bodyTimeoutSeconds: config.server.body_timeout_seconds,
    logger: options.logger ?? false,
    newId,
    explain: (error) => (pool.dialect.isUnavailable(error) ? unavailable(error) : undefined),
    authorize(request, route) {
      authorize(request, route)
      if (route.scope !== 'public') checkClientVersion(request.headers['x-prefect-api-version'])
      setPreferWaitHeader(request.headers)
      setLeaseModeHeader(request.headers)
      copyWorkerNameHeader(request.headers)
      return checkCsrf?.(request)
    },
  })
  sync?.start(server.log)
  const connections = trackConnections(server.server)
  stripFieldsForOldClients(server)
  compressLargeResponses(server)
  // Once it listens, so that the first answer does not wait for it.
  server.addHook('onListen', () => prepareBlocks(context, server.log))
  // Whoever is held would hold up the end.
  server.addHook('preClose', async () => slotWaitQueue(context).close())
  server.addHook('preClose', async () => heartbeatConnections(context).stop())
  registerWebSockets(server, createSocketRoutes(context), {
    ...(auth_string ? { isGoodToken: (token) => isSameSecret(token, auth_string) } : {}),
    origins,
    pingIntervalSeconds: config.server.api.websocket_ping_interval_seconds,
    pingTimeoutSeconds: config.server.api.websocket_ping_timeout_seconds,
    messageBytesMax: config.server.body_limit_bytes,
    isUnavailable: (error) => pool.dialect.isUnavailable(error),
    bodyBudget,
    json,
    valueBudget,
    slices,
  })
  if (config.ui.enabled) {
    serveDashboard(server, {
      basePath: config.server.base_path,
      folder: options.dashboardFolder ?? dashboardFolder(),
      apiPaths: ['/docs', '/metrics', ...routes.filter(({ scope, path }) => scope === 'public' || path === '/openapi.json').map(({ path }) => path)],
      newNonce: () => Buffer.from(random.bytes(16)).toString('base64'),
    })
  }
  let services: RunningServices | undefined
  return {
    server,
    context,
    routes,
    warnings: pool.warnings,
    startServices() {
      services ??= startServices(allServices, context, server.log)
    },
    async drain() {
      const seconds = readiness(context).startShutdown()
      connections.closeAfterResponses()
      if (seconds === 0) return
      server.log.info(`Ending: /ready is 503 from now on, and requests are still answered for ${seconds} seconds`)
      await new Promise<void>((resolve) => afterSeconds(seconds, resolve))
    },
    async close() {
      pool.shortenTimeouts?.()
      readiness(context).startShutdown()
      connections.closeAfterResponses()
      const stopClosing = connections.closeUnused(config.server.shutdown_grace_seconds, (count) => {
        server.log.warn(`${count} connections were cut: their requests took longer than ${config.server.shutdown_grace_seconds} seconds to end`)
      })
      await Promise.all([server.close(), services?.stop()])
      stopClosing()
      sync?.stop()
      await closeSchemaValidator(context)
      await writeQueue.drain()
      await pool.close()
    },
  }
}

/** Events that clients send, and what becomes of them in the same transaction. */
const eventIngest = perServer((context) => {
  const recorders = [taskRunRecorder(context), heartbeatRecorder(context)]
  return createIngest(context, async (tx, events) => {
    for (const record of recorders) await record(tx, events)
  })
})

/** Every socket that clients can hold. */
export const createSocketRoutes = (context: ServerContext): SocketRoute[] => [
  ...eventSockets(context, eventIngest(context), heartbeatConnections(context)),
  logSocket(context),
  taskWorkerSocket(context),
  workerChannel(context),
]

/** Every operation of the API. */
export function createRoutes(context: ServerContext): Route[] {
  return [
    ...rootRoutes(context),
    ...adminRoutes(context),
    ...retentionRoutes(context),
    ...flowRoutes(context),
    ...flowRunRoutes(context),
    ...taskRunRoutes(context),
    ...deploymentRoutes(context),
    ...deploymentScheduleRoutes(context),
    ...schedulePreviewRoutes(context),
    ...deploymentRunRoutes(context),
    ...workPoolRoutes(context),
    ...poolQueueRoutes(context),
    ...workerRoutes(context),
    ...workQueueRoutes(context),
    ...concurrencyLimitRoutes(context),
    ...limitHolderRoutes(context),
    ...tagLimitRoutes(context),
    ...variableRoutes(context),
    ...savedSearchRoutes(context),
    ...taskWorkerRoutes(context),
    ...csrfRoutes(context),
    ...flowUiRoutes(context),
    ...flowRunHistoryRoutes(context),
    ...flowRunGraphRoutes(context),
    ...flowRunInputRoutes(context),
    ...flowRunUiRoutes(context),
    ...latestRunRoutes(context),
    ...taskRunHistoryRoutes(context),
    ...taskRunUiRoutes(context),
    ...runStateRoutes(context),
    ...verdictRoutes(context),
    ...logRoutes(context),
    ...artifactRoutes(context),
    ...blockTypeRoutes(context),
    ...blockSchemaRoutes(context),
    ...blockDocumentRoutes(context),
    ...defaultStorageRoutes(context),
    ...collectionRoutes(),
    ...formValueUiRoutes(context),
    ...eventRoutes(context, eventIngest(context)),
    ...automationRoutes(context),
    ...templateRoutes(),
  ]
}

/** Undefined on databases that have no clock of their own. */
async function startClockSync({ dialect, reads }: Pool, machine: MachineClock): Promise<ClockSync | undefined> {
  return dialect.clockQuery === null ? undefined : followDatabaseClock(reads, dialect.clockQuery, machine)
}

function openPool(config: Config, options: SqliteOptions): Pool {
  const { url, pool_size, statement_timeout_seconds } = config.database
  if (url.startsWith('sqlite:')) return openSqlite(url, options)
  return openPostgres(url, { poolSize: pool_size, statementTimeoutSeconds: statement_timeout_seconds, onError: () => {} })
}
