import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { automationRoutes } from './automations/routes.ts'
import { templateRoutes } from './automations/template-routes.ts'
import { checkClientVersion } from './compat/client-version.ts'
import { hideFromOldReaders } from './compat/old-readers.ts'
import { sayHabit } from './compat/slot-habits.ts'
import { preferToWait } from './compat/waiting-clients.ts'
import { readWorkerName } from './compat/worker-name.ts'
import type { Config } from './config.ts'
import { readinessOf } from './domains/admin/readiness.ts'
import { retentionRoutes } from './domains/admin/retention-routes.ts'
import { adminRoutes, rootRoutes } from './domains/admin/routes.ts'
import { artifactRoutes } from './domains/artifacts/routes.ts'
import { collectionRoutes } from './domains/blocks/collection-routes.ts'
import { defaultStorageRoutes } from './domains/blocks/default-storage-routes.ts'
import { blockDocumentRoutes } from './domains/blocks/document-routes.ts'
import { checkKeys } from './domains/blocks/key-place.ts'
import { prepareBlocks } from './domains/blocks/prepare-blocks.ts'
import { blockSchemaRoutes } from './domains/blocks/schema-routes.ts'
import { blockTypeRoutes } from './domains/blocks/type-routes.ts'
import { limitHolderRoutes } from './domains/concurrency-limits/holder-routes.ts'
import { concurrencyLimitRoutes } from './domains/concurrency-limits/routes.ts'
import { slotQueue } from './domains/concurrency-limits/slot-queue.ts'
import { tagLimitRoutes } from './domains/concurrency-limits/tag-routes.ts'
import { csrfRoutes } from './domains/csrf/routes.ts'
import { isGoodToken } from './domains/csrf/token.ts'
import { schedulePreviewRoutes } from './domains/deployments/preview-schedule.ts'
import { deploymentRoutes } from './domains/deployments/routes.ts'
import { deploymentScheduleRoutes } from './domains/deployments/schedule-routes.ts'
import { deploymentRunRoutes } from './domains/flow-runs/deployment-run-routes.ts'
import { flowRunGraphRoutes } from './domains/flow-runs/graph-routes.ts'
import { flowRunHistoryRoutes } from './domains/flow-runs/history-routes.ts'
import { flowRunInputRoutes } from './domains/flow-runs/input-routes.ts'
import { latestRunRoutes } from './domains/flow-runs/latest-routes.ts'
import { lostConnections } from './domains/flow-runs/lost-connections.ts'
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
import { schemaValidator } from './domains/schema-validator.ts'
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
import { eventWriter } from './events/outbox.ts'
import { eventRoutes } from './events/routes.ts'
import { eventSockets } from './events/socket.ts'
import { basicAuth, sameSecret } from './http/auth.ts'
import { ByteBudget } from './http/byte-budget.ts'
import { watchConnections } from './http/connections.ts'
import { csrfCheck } from './http/csrf.ts'
import { documentRoutes } from './http/document.ts'
import { hostCheck } from './http/host-check.ts'
import { originCheck } from './http/origin-check.ts'
import { packLargeAnswers } from './http/pack.ts'
import { createServer } from './http/server.ts'
import { dashboardFolder, serveDashboard } from './http/static-dashboard.ts'
import { registerSockets } from './http/websocket.ts'
import { createBus } from './lib/bus.ts'
import { createIds } from './lib/ids.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { Route } from './lib/route.ts'
import type { SocketRoute } from './lib/socket.ts'
import { afterSeconds, type Clock, type MachineClock, machineClock, monotonicSeconds, systemClock } from './lib/time.ts'
import { TurnQueue } from './lib/turn-queue.ts'
import { ValueBudget } from './lib/value-budget.ts'
import { allServices } from './services/all-services.ts'
import { type RunningServices, startServices } from './services/loop.ts'
import { type ClockSync, followDatabaseClock } from './storage/clock-sync.ts'
import { createLane } from './storage/lane.ts'
import { checkSchema, migrate } from './storage/migrate.ts'
import { DbOver } from './storage/open-tx.ts'
import type { Parts } from './storage/parts.ts'
import { perParts } from './storage/per-parts.ts'
import type { Pool } from './storage/pool.ts'
import { openPostgres } from './storage/postgres/connect.ts'
import { openSqlite, type SqliteOptions } from './storage/sqlite/connect.ts'

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
  readonly holderName?: string
  /** Leaves a SQLite file unlocked, for tests of what servers that share a database do. */
  readonly sharesFile?: boolean
  /** Called when the start has to wait for the database. */
  onWait?(message: string): void
}

export interface App {
  readonly server: FastifyInstance
  readonly parts: Parts
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
  const holder = { name: options.holderName ?? 'another server', now: options.clock?.now() ?? machine.wall() }
  const pool = openPool(config, options.sharesFile ? {} : { holder })
  try {
    checkKeys(config)
    await pool.reach?.({ seconds: config.database.connect_timeout_seconds, onWait: options.onWait ?? (() => {}) })
    const sync = options.clock ? undefined : await followDatabase(pool, machine)
    const clock = options.clock ?? sync?.clock ?? systemClock()
    await (config.database.migrate_on_start ? migrate(pool, clock) : checkSchema(pool))
    await pool.begin?.()
    return await assemble(pool, clock, sync, options)
  } catch (error) {
    await pool.close().catch(() => undefined)
    throw pool.explainStart(error) ?? error
  }
}

async function assemble(pool: Pool, clock: Clock, sync: ClockSync | undefined, options: AppOptions): Promise<App> {
  const { config } = options
  const random = options.random ?? systemRandom()
  const bus = createBus()
  const newId = createIds(clock, random)
  const lane = createLane(pool, {
    writeEvents: eventWriter(clock),
    onCommit: (topics) => {
      for (const topic of topics) bus.wake(topic)
    },
  })
  await pool.listen?.(bus)
  const parts: Parts = { config, lane, reads: new DbOver(pool.reads, pool.dialect), clock, random, newId, bus }

  const checkCsrf = config.server.api.csrf_protection_enabled ? csrfCheck((client, token) => isGoodToken(parts, client, token)) : undefined
  const { auth_string, cors_allowed_origins } = config.server.api
  const authorize = basicAuth(auth_string)
  const origins = originCheck({ corsOrigins: cors_allowed_origins, uiUrl: config.server.ui_url })
  const bodyBudget = new ByteBudget(config.server.body_memory_limit_bytes)
  const json = { depthMax: config.server.json_depth_limit, valuesMax: config.server.json_values_limit }
  // Two of the largest texts at once.
  const valueBudget = new ValueBudget(2 * config.server.json_values_limit)
  const turns = new TurnQueue(monotonicSeconds)
  const api = routesOf(parts)
  const routes = [...api, ...documentRoutes(api, config.server.base_path)]
  const server = createServer(routes, {
    basePath: config.server.base_path,
    bodyBytesMax: config.server.body_limit_bytes,
    corsOrigins: cors_allowed_origins,
    origins,
    refuseHost: auth_string
      ? undefined
      : hostCheck({ allowedHosts: config.server.allowed_hosts, uiUrl: config.server.ui_url, listenHost: config.server.host }),
    keepAliveTimeoutSeconds: config.server.keep_alive_timeout_seconds,
    json,
    valueBudget,
    turns,
    bodyBudget,
    bodyTimeoutSeconds: config.server.body_timeout_seconds,
    logger: options.logger ?? false,
    newId,
    explain: (error) => (pool.dialect.isUnavailable(error) ? unavailable(error) : undefined),
    authorize(request, route) {
      authorize(request, route)
      if (route.scope !== 'public') checkClientVersion(request.headers['x-prefect-api-version'])
      preferToWait(request.headers)
      sayHabit(request.headers)
      readWorkerName(request.headers)
      return checkCsrf?.(request)
    },
  })
  sync?.start(server.log)
  const connections = watchConnections(server.server)
  hideFromOldReaders(server)
  packLargeAnswers(server)
  // Once it listens, so that the first answer does not wait for it.
  server.addHook('onListen', () => prepareBlocks(parts, server.log))
  // Whoever is held would hold up the end.
  server.addHook('preClose', async () => slotQueue(parts).close())
  server.addHook('preClose', async () => lostConnections(parts).stop())
  registerSockets(server, socketsOf(parts), {
    ...(auth_string ? { isGoodToken: (token) => sameSecret(token, auth_string) } : {}),
    origins,
    pingIntervalSeconds: config.server.api.websocket_ping_interval_seconds,
    pingTimeoutSeconds: config.server.api.websocket_ping_timeout_seconds,
    messageBytesMax: config.server.body_limit_bytes,
    isUnavailable: (error) => pool.dialect.isUnavailable(error),
    bodyBudget,
    json,
    valueBudget,
    turns,
  })
  if (config.ui.enabled) {
    serveDashboard(server, {
      basePath: config.server.base_path,
      folder: options.dashboardFolder ?? dashboardFolder(),
      notPages: ['/docs', '/metrics', ...routes.filter(({ scope, path }) => scope === 'public' || path === '/openapi.json').map(({ path }) => path)],
      newNonce: () => Buffer.from(random.bytes(16)).toString('base64'),
    })
  }
  let services: RunningServices | undefined
  return {
    server,
    parts,
    routes,
    warnings: pool.warnings,
    startServices() {
      services ??= startServices(allServices, parts, server.log)
    },
    async drain() {
      const seconds = readinessOf(parts).end()
      connections.endAfterAnswers()
      if (seconds === 0) return
      server.log.info(`Ending: /ready is 503 from now on, and requests are still answered for ${seconds} seconds`)
      await new Promise<void>((resolve) => afterSeconds(seconds, resolve))
    },
    async close() {
      pool.hurry?.()
      readinessOf(parts).end()
      connections.endAfterAnswers()
      const stopClosing = connections.closeUnused(config.server.shutdown_grace_seconds, (count) => {
        server.log.warn(`${count} connections were cut: their requests took longer than ${config.server.shutdown_grace_seconds} seconds to end`)
      })
      await Promise.all([server.close(), services?.stop()])
      stopClosing()
      sync?.stop()
      await schemaValidator(parts).close()
      await lane.drain()
      await pool.close()
    },
  }
}

/** Events that clients send, and what becomes of them in the same transaction. */
const eventIngest = perParts((parts) => {
  const recorders = [taskRunRecorder(parts), heartbeatRecorder(parts)]
  return createIngest(parts, async (tx, events) => {
    for (const record of recorders) await record(tx, events)
  })
})

/** Every socket that clients can hold. */
export const socketsOf = (parts: Parts): SocketRoute[] => [
  ...eventSockets(parts, eventIngest(parts), lostConnections(parts)),
  logSocket(parts),
  taskWorkerSocket(parts),
  workerChannel(parts),
]

/** Every operation of the API. */
export function routesOf(parts: Parts): Route[] {
  return [
    ...rootRoutes(parts),
    ...adminRoutes(parts),
    ...retentionRoutes(parts),
    ...flowRoutes(parts),
    ...flowRunRoutes(parts),
    ...taskRunRoutes(parts),
    ...deploymentRoutes(parts),
    ...deploymentScheduleRoutes(parts),
    ...schedulePreviewRoutes(parts),
    ...deploymentRunRoutes(parts),
    ...workPoolRoutes(parts),
    ...poolQueueRoutes(parts),
    ...workerRoutes(parts),
    ...workQueueRoutes(parts),
    ...concurrencyLimitRoutes(parts),
    ...limitHolderRoutes(parts),
    ...tagLimitRoutes(parts),
    ...variableRoutes(parts),
    ...savedSearchRoutes(parts),
    ...taskWorkerRoutes(parts),
    ...csrfRoutes(parts),
    ...flowUiRoutes(parts),
    ...flowRunHistoryRoutes(parts),
    ...flowRunGraphRoutes(parts),
    ...flowRunInputRoutes(parts),
    ...flowRunUiRoutes(parts),
    ...latestRunRoutes(parts),
    ...taskRunHistoryRoutes(parts),
    ...taskRunUiRoutes(parts),
    ...runStateRoutes(parts),
    ...verdictRoutes(parts),
    ...logRoutes(parts),
    ...artifactRoutes(parts),
    ...blockTypeRoutes(parts),
    ...blockSchemaRoutes(parts),
    ...blockDocumentRoutes(parts),
    ...defaultStorageRoutes(parts),
    ...collectionRoutes(),
    ...formValueUiRoutes(parts),
    ...eventRoutes(parts, eventIngest(parts)),
    ...automationRoutes(parts),
    ...templateRoutes(),
  ]
}

/** Undefined on databases that have no clock of their own. */
async function followDatabase({ dialect, reads }: Pool, machine: MachineClock): Promise<ClockSync | undefined> {
  return dialect.clockTime === null ? undefined : followDatabaseClock(reads, dialect.clockTime, machine)
}

function openPool(config: Config, options: SqliteOptions): Pool {
  const { url, pool_size, statement_timeout_seconds } = config.database
  if (url.startsWith('sqlite:')) return openSqlite(url, options)
  return openPostgres(url, { poolSize: pool_size, statementTimeoutSeconds: statement_timeout_seconds, onError: () => {} })
}
