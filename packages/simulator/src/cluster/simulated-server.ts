import { createRoutes } from '@millrace/server/app-routes.ts'
import { type AppOptions, assembleApp, createContext } from '@millrace/server/assemble-app.ts'
import type { Config } from '@millrace/server/config.ts'
import { seededRandom } from '@millrace/server/lib/random.ts'
import { machineClock } from '@millrace/server/lib/time.ts'
import { allServices } from '@millrace/server/services/all-services.ts'
import { startServices } from '@millrace/server/services/loop.ts'
import { followDatabaseClock } from '@millrace/server/storage/clock-sync.ts'
import type { ServerContext } from '@millrace/server/storage/server-context.ts'
import type { Machine } from '../kernel/machine.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import type { FaultRates } from '../storage/faults.ts'
import type { SimulatedDatabase } from '../storage/simulated-database.ts'
import { createPool, type SimulatedPool } from '../storage/simulated-pool.ts'
import { createDispatcher, type Request, type Response } from './dispatch.ts'

export interface ServerOptions {
  readonly loop: VirtualLoop
  readonly database: SimulatedDatabase
  readonly config: Config
  readonly faults: () => FaultRates
  /** Builds Fastify too, and sends requests through it. */
  readonly isComplete: boolean
  /** An error that no request explains: a failed pass of a service. */
  onServiceError(server: string, service: string, error: unknown): void
}

interface Process {
  readonly machine: Machine
  readonly pool: SimulatedPool
  readonly context: ServerContext
  handle(request: Request, signal: AbortSignal): Promise<Response>
}

/** A server that starts, crashes, freezes and starts again. Each start is a machine of its own. */
export class SimulatedServer {
  readonly name: string
  readonly #options: ServerOptions
  #starts = 0
  #machine: Machine | undefined
  #pool: SimulatedPool | undefined
  #process: Process | undefined
  wallOffset = 0

  constructor(name: string, options: ServerOptions) {
    this.name = name
    this.#options = options
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  get machine(): Machine | undefined {
    return this.#machine
  }

  get context(): ServerContext | undefined {
    return this.#process?.context
  }

  start(): void {
    const { loop } = this.#options
    this.#starts += 1
    const machine = loop.createMachine(`${this.name}.${this.#starts}`)
    machine.wallOffset = this.wallOffset
    this.#machine = machine
    loop.history.note(machine.name, 'starts')
    loop.as(machine, () => {
      this.#boot(machine).catch((error: unknown) => {
        if (this.#machine !== machine) return
        loop.history.note(machine.name, `start failed: ${error instanceof Error ? error.message : error}`)
        this.crash(1_000_000)
      })
    })
  }

  async #boot(machine: Machine): Promise<void> {
    const { loop, database, config, faults, isComplete, onServiceError } = this.#options
    const pool = createPool({ loop, database, machine, faults })
    this.#pool = pool
    const sync = await followDatabaseClock(pool.reads, pool.dialect.clockQuery as string, machineClock())
    const random = seededRandom(loop.integer(0, 2 ** 31))
    const opened = { pool, clock: sync.clock, sync }
    if (isComplete) {
      const app = await assembleApp(opened, { config, random, usesThreads: false } satisfies AppOptions)
      await app.server.ready()
      app.startServices()
      const handle = async ({ method, path, params = {}, headers = {}, body }: Request): Promise<Response> => {
        const url = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
        const { statusCode, body: text } = await app.server.inject({
          method,
          url,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        })
        return { status: statusCode, body: text === '' ? null : JSON.parse(text) }
      }
      this.#process = { machine, pool, context: app.context, handle }
      return
    }
    const context = await createContext(opened, { config, random, usesThreads: false })
    sync.start({ info: () => {}, warn: () => {} })
    const log = {
      info: () => {},
      error: (fields: object, message: string) => {
        const { service = '', err } = fields as { service?: string; err?: unknown }
        if (err !== undefined) onServiceError(machine.name, service, err)
        loop.history.note(machine.name, message)
      },
    }
    const handle = createDispatcher(createRoutes(context), pool.dialect.isUnavailable)
    startServices(allServices, context, log)
    this.#process = { machine, pool, context, handle }
    loop.history.note(machine.name, 'is ready')
  }

  /** Ends the process: its timers and promises never continue. It starts again after a while. */
  crash(downMicros: number): void {
    const { loop, database } = this.#options
    const machine = this.#machine
    if (!machine?.isAlive) return
    loop.history.note(machine.name, 'crashes')
    machine.isAlive = false
    this.#pool?.abandon()
    this.#process = undefined
    loop.after(downMicros, database.machine, () => this.start())
  }

  freeze(micros: number): void {
    const { loop } = this.#options
    if (!this.#machine) return
    this.#machine.frozenUntil = loop.now + Math.round(micros)
    loop.history.note(this.#machine.name, `freezes for ${Math.round(micros / 1000)} ms`)
  }

  jumpClock(micros: number): void {
    this.wallOffset += micros
    if (this.#machine) this.#machine.wallOffset = this.wallOffset
    this.#options.loop.history.note(this.name, `clock jumps by ${Math.round(micros / 1_000_000)} s`)
  }

  /** Handles a request that arrives now. Undefined if nothing listens. */
  handle(request: Request, signal: AbortSignal): { machine: Machine; response: Promise<Response> } | undefined {
    const process = this.#process
    if (!process) return undefined
    const { loop } = this.#options
    return { machine: process.machine, response: loop.as(process.machine, () => process.handle(request, signal)) }
  }
}
