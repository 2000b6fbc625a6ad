import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { createRoutes, createSocketRoutes } from './app-routes.ts'
import { checkClientVersion, copyWorkerNameHeader, setLeaseModeHeader, setPreferWaitHeader } from './compat/client-headers.ts'
import { stripFieldsForOldClients } from './compat/strip-fields.ts'
import type { Config } from './config.ts'
import { readiness } from './domains/admin/readiness.ts'
import { prepareBlocks } from './domains/blocks/install-system-blocks.ts'
import { slotWaitQueue } from './domains/concurrency-limits/slot-wait-queue.ts'
import { isValidToken } from './domains/csrf/token.ts'
import { heartbeatConnections } from './domains/flow-runs/heartbeat-connections.ts'
import { closeSchemaValidator } from './domains/schema-validator.ts'
import { unavailable } from './errors.ts'
import { createEventWriter } from './events/outbox.ts'
import { segmentThread } from './events/segments/segment-thread.ts'
import { Authentication } from './http/auth.ts'
import { ByteBudget } from './http/byte-budget.ts'
import { compressLargeResponses } from './http/compress.ts'
import { trackConnections } from './http/connections.ts'
import { csrfCheck } from './http/csrf.ts'
import { GuessReport } from './http/guess-report.ts'
import { serveHelp } from './http/help-site.ts'
import { createHostCheck } from './http/host-check.ts'
import { openApiRoutes } from './http/openapi.ts'
import { createOriginCheck } from './http/origin-check.ts'
import { PasswordGuard } from './http/password-guard.ts'
import { SendBudget } from './http/send-budget.ts'
import { createServer } from './http/server.ts'
import { dashboardFolder, serveDashboard } from './http/static-dashboard.ts'
import { UnsentResponses } from './http/unsent-responses.ts'
import { registerWebSockets } from './http/websocket.ts'
import { serviceActor } from './lib/actor.ts'
import { createBus } from './lib/bus.ts'
import { createIdGenerator } from './lib/ids.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { Route } from './lib/route.ts'
import { SliceScheduler } from './lib/slice-scheduler.ts'
import type { MachineClock } from './lib/time.ts'
import { afterSeconds, type Clock, monotonicSeconds } from './lib/time.ts'
import { ValueBudget } from './lib/value-budget.ts'
import { type AskOthers, MetricsReader, metricsRoutes } from './metrics/routes.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import { allServices } from './services/all-services.ts'
import { type RunningServices, startServices } from './services/loop.ts'
import type { ClockSync } from './storage/clock-sync.ts'
import type { Connection } from './storage/connection.ts'
import type { Pool } from './storage/pool.ts'
import { actAs, type ServerContext } from './storage/server-context.ts'
import { ReadDb } from './storage/transaction.ts'
import { createWriteQueue } from './storage/write-queue.ts'
import { type LogRoom, levelOf } from './telemetry/logger.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { traceReads, traceWrites } from './telemetry/trace-database.ts'
import { RequestTracer } from './telemetry/trace-requests.ts'

export interface AppOptions {
  readonly config: Config
  /** Number of processes that share the port and the connections of this server; 1 by default. */
  readonly processes?: number
  /** Takes it for granted that no other server uses the database, for tests. A server finds that out in some seconds. */
  readonly assumesAlone?: boolean
  /** Replaces the clocks of the machine and of the database, for tests. */
  readonly clock?: Clock
  /** Clocks of the machine. On PostgreSQL the server follows the clock of the database. */
  readonly machine?: MachineClock
  readonly random?: Random
  readonly logger?: FastifyServerOptions['logger']
  readonly telemetry?: Telemetry | undefined
  /** Folder of the built dashboard, if it is not the default. */
  readonly dashboardFolder?: string
  /** Folder of the built documentation site, if it is not the default. */
  readonly helpFolder?: string
  /** Name of this process in the error of another process that opens the same SQLite file. */
  readonly lockHolderName?: string
  /** Does not lock the SQLite file, for tests of servers that share a database. */
  readonly skipsFileLock?: boolean
  /** Whether long work is done on other threads (default: true). */
  readonly usesThreads?: boolean
  /** Called when start-up waits for the database, or a migration takes long. */
  readonly onWait?: ((message: string) => void) | undefined
}

export interface App {
  readonly server: FastifyInstance
  readonly context: ServerContext
  readonly metrics: MetricsReader
  /** Asks the other processes that share the port for their metrics. */
  readonly otherProcesses: { ask: AskOthers }
  readonly routes: readonly Route[]
  /** Problems of the database that do not prevent the start. */
  readonly warnings: readonly string[]
  /** Starts the background services; `close` stops them. */
  startServices(): void
  /** Answers requests while `/ready` is 503, so that load balancers stop sending them. */
  drain(): Promise<void>
  /** Rejects new requests, waits for those in flight up to the grace period, and closes the database. */
  close(): Promise<void>
}

export interface OpenDatabase {
  readonly pool: Pool
  readonly clock: Clock
  /** Follows the clock of the database; undefined if the server uses another clock. */
  readonly sync: ClockSync | undefined
}

type ContextOptions = Pick<AppOptions, 'config' | 'random' | 'telemetry' | 'usesThreads'> & { readonly measured?: ServerMetrics }

/** The context of a server: write queue, bus, ids. Registers for the notifications of other servers. */
export async function createContext(
  { pool, clock }: Omit<OpenDatabase, 'sync'>,
  { config, random = systemRandom(), telemetry, usesThreads = true, measured = new ServerMetrics() }: ContextOptions,
): Promise<ServerContext> {
  const bus = createBus()
  const newId = createIdGenerator(clock, random)
  const tracer = telemetry?.tracer
  const system = config.database.url.startsWith('sqlite:') ? 'sqlite' : 'postgresql'
  const writeQueue = createWriteQueue(pool, {
    writeEvents: createEventWriter(clock),
    onCommit: (topics, events) => {
      measured.recordEvents(events)
      const notifyAll = () => {
        for (const topic of topics) bus.notify(topic)
      }
      if (tracer) tracer.runDetached(notifyAll)
      else notifyAll()
    },
    onBatch: (batch) => measured.recordBatch(batch),
    trace: tracer && traceWrites(tracer, system),
  })
  measured.watch('millrace_write_queue_commands', 'Commands that wait for a write transaction.', () => writeQueue.pendingCount())
  await pool.listen?.(bus)
  const openReads = (connection: Connection) => new ReadDb(tracer ? traceReads(connection, tracer, system) : connection, pool.dialect)
  const reads = openReads(pool.reads)
  // A trace shows the statement of each read.
  const keyReads = pool.keyReads && !tracer ? new ReadDb(pool.keyReads, pool.dialect) : undefined
  const { replica } = pool
  const heavyReads = replica ? new ReadDb(replica.connection, pool.dialect) : reads
  const longReads = usesThreads && pool.longReads ? openReads(pool.longReads) : heavyReads
  const replicaStatus = replica?.status
  return { config, writeQueue, reads, keyReads, heavyReads, longReads, replicaStatus, backups: pool.backups, clock, random, newId, bus, usesThreads }
}

/** Connects all parts of the server: context, HTTP server, WebSockets, dashboard and services. */
export async function assembleApp({ pool, clock, sync }: OpenDatabase, options: AppOptions): Promise<App> {
  const { config } = options
  const { replica } = pool
  const measured = new ServerMetrics()
  const context = await createContext({ pool, clock }, { ...options, measured })
  const { random, newId, writeQueue } = context
  const tracer = options.telemetry?.tracer
  const otherProcesses: App['otherProcesses'] = { ask: async () => [] }

  const checkCsrf = config.server.api.csrf_protection_enabled ? csrfCheck((client, token) => isValidToken(context, client, token)) : undefined
  const { auth_string, cors_allowed_origins } = config.server.api
  const guard =
    auth_string === null
      ? undefined
      : new PasswordGuard({
          password: auth_string,
          trustedProxies: config.server.trusted_proxies,
          report: new GuessReport((message) => roomLog('http').warn(message)),
          nowSeconds: monotonicSeconds,
        })
  const authentication = new Authentication(guard, auth_string)
  const origins = createOriginCheck({ corsOrigins: cors_allowed_origins, uiUrl: config.server.ui_url })
  const bodyBudget = new ByteBudget(config.server.body_memory_limit_bytes)
  const json = { depthMax: config.server.json_depth_limit, valuesMax: config.server.json_values_limit }
  // Enough for two JSON texts of the maximum size at once.
  const valueBudget = new ValueBudget(2 * config.server.json_values_limit)
  const slices = new SliceScheduler(monotonicSeconds)
  const metrics = new MetricsReader(context, measured)
  options.telemetry?.startMetrics(() => metrics.families())
  const requestTracer = tracer && new RequestTracer(tracer)
  const api = [...createRoutes(context), ...metricsRoutes(context, metrics, () => otherProcesses.ask())]
  const routes = [...api, ...openApiRoutes(api, config.server.base_path)]
  const server = createServer(routes, {
    basePath: config.server.base_path,
    bodyBytesMax: config.server.body_limit_bytes,
    requestsMax: config.server.requests_limit,
    connectionsMax: config.server.connections_limit,
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
    ...(config.server.metrics_enabled ? { onResponse: (...request) => measured.recordRequest(...request) } : {}),
    tracer: requestTracer,
    ...(requestTracer ? { traceHandler: (request, handle) => requestTracer.run(request, handle) } : {}),
    httpLogLevel: levelOf(config, 'http'),
    newId,
    explain: (error) => (pool.dialect.isUnavailable(error) ? unavailable(error) : undefined),
    authenticate: ({ raw }, { scope }) => authentication.ofRequest(raw, scope),
    authorize(request, route) {
      if (route.scope !== 'public') checkClientVersion(request.headers['x-prefect-api-version'])
      setPreferWaitHeader(request.headers)
      setLeaseModeHeader(request.headers)
      copyWorkerNameHeader(request.headers)
      return checkCsrf?.(request)
    },
  })
  const roomLog = (room: LogRoom) => server.log.child({ room }, { level: levelOf(config, room) })
  sync?.start(roomLog('storage'))
  await replica?.start(roomLog('storage'))
  pool.onFileLost?.((message) => roomLog('storage').error(message))
  const connections = trackConnections(server.server)
  stripFieldsForOldClients(server)
  compressLargeResponses(server, new UnsentResponses(config.server.send_memory_limit_bytes))
  // After the server listens, so that the first response does not wait.
  server.addHook('onListen', () => prepareBlocks(actAs(context, serviceActor('start')), server.log))
  // Waiting requests would delay the shutdown.
  server.addHook('preClose', async () => slotWaitQueue(context).close())
  server.addHook('preClose', async () => heartbeatConnections(context).stop())
  registerWebSockets(server, createSocketRoutes(context), {
    authentication,
    origins,
    pingIntervalSeconds: config.server.api.websocket_ping_interval_seconds,
    pingTimeoutSeconds: config.server.api.websocket_ping_timeout_seconds,
    messageBytesMax: config.server.body_limit_bytes,
    isUnavailable: (error) => pool.dialect.isUnavailable(error),
    bodyBudget,
    onOpen: (route) => measured.openSocket(route),
    sendBudget: new SendBudget(config.server.send_memory_limit_bytes),
    json,
    valueBudget,
    slices,
  })
  if (config.ui.enabled) {
    serveHelp(server, { basePath: config.server.base_path, folder: options.helpFolder })
    serveDashboard(server, {
      basePath: config.server.base_path,
      folder: options.dashboardFolder ?? dashboardFolder(),
      apiPaths: ['/docs', '/metrics', ...routes.filter(({ scope, path }) => scope === 'public' || path === '/openapi.json').map(({ path }) => path)],
      newNonce: () => Buffer.from(random.bytes(16)).toString('base64'),
    })
  }
  let services: RunningServices | undefined
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    pool.shortenTimeouts?.()
    readiness(context).startShutdown()
    connections.closeAfterResponses()
    const stopClosing = connections.closeUnused(config.server.shutdown_grace_seconds, (count) => {
      server.log.warn(`Closed ${count} connections whose requests did not finish within ${config.server.shutdown_grace_seconds} seconds`)
    })
    await Promise.all([server.close(), services?.stop()])
    stopClosing()
    sync?.stop()
    await closeSchemaValidator(context)
    await segmentThread(context).close()
    await writeQueue.drain()
    await pool.close()
    await options.telemetry?.close()
  }

  return {
    server,
    context,
    metrics,
    otherProcesses,
    routes,
    warnings: pool.warnings,
    startServices() {
      services ??= startServices(allServices, context, roomLog('services'), (...pass) => measured.recordPass(...pass))
    },
    async drain() {
      const seconds = readiness(context).startShutdown()
      connections.closeAfterResponses()
      if (seconds === 0) return
      server.log.info(`Shutting down: /ready is 503, requests are answered for ${seconds} more seconds`)
      await new Promise<void>((resolve) => afterSeconds(seconds, resolve))
    },
    // A signal may arrive while a failed start closes the server.
    close: () => (closed ??= close()),
  }
}
