import type { LightMyRequestResponse } from 'fastify'
import { afterEach, describe } from 'vitest'
import { type App, buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { createSchemaValidator, shareSchemaValidator } from '../src/domains/schema-validator.ts'
import { serviceActor } from '../src/lib/actor.ts'
import { seededRandom } from '../src/lib/random.ts'
import { type Clock, MICROS_PER_SECOND, type Micros, systemClock, toMicros } from '../src/lib/time.ts'
import type { SchemaValidator } from '../src/schemas/schema-validator.ts'
import type { Service } from '../src/services/service.ts'
import { type ActingContext, actAs, type ServerContext } from '../src/storage/server-context.ts'
import { migratedPostgres, migratedSqlite } from './databases.ts'

/** A clock that a test moves. Each reading is one microsecond later than the last, so that rows keep their order. */
export interface TestClock extends Clock {
  advance(seconds: number): void
  set(time: Micros): void
}

export function testClock(start = '2030-01-01T00:00:00Z'): TestClock {
  let now = toMicros(start)
  return {
    now: () => (now += 1),
    advance: (seconds) => {
      now += Math.round(seconds * MICROS_PER_SECOND)
    },
    set: (time) => {
      now = time
    },
  }
}

export interface TestApp extends App {
  /** What a test writes itself has the actor `test`. */
  readonly context: ActingContext
  readonly clock: TestClock
  /** Sends a request and parses the JSON of the response. */
  call(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
    // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the response
  ): Promise<{ status: number; body: any; headers: LightMyRequestResponse['headers'] }>
  /** Names of the events in the log, oldest first. */
  eventNames(): Promise<string[]>
}

export interface SetupOptions {
  /** Environment variables of the server. */
  readonly env?: Record<string, string>
  readonly seed?: number
  /** Whether the server takes it for granted that no other one uses its database (default: no). */
  readonly assumesAlone?: boolean
  /** Skips the lock of the SQLite file, so that a second server can open it. */
  readonly sharesFile?: boolean
}

export type Setup = (options?: SetupOptions) => Promise<TestApp>

type DialectName = 'sqlite' | 'postgres'

/** Runs a suite once on each database. Each `setup()` starts a server on a new database. */
export function eachDialect(
  name: string,
  suite: (setup: Setup, dialect: DialectName) => void,
  dialects: readonly DialectName[] = ['sqlite', 'postgres'],
): void {
  for (const dialect of dialects) {
    describe(`${name} (${dialect})`, () => {
      const open: (() => Promise<void>)[] = []
      afterEach(async () => {
        for (const close of open.splice(0)) await close()
      })
      suite(async (options = {}) => {
        const { url, drop } = await (dialect === 'sqlite' ? migratedSqlite() : migratedPostgres())
        const app = await startApp(url, options)
        open.push(async () => {
          await app.close()
          await drop()
        })
        return app
      }, dialect)
    })
  }
}

/** One for all servers of a test process, as long as they have the default limits. Its threads end with the process. */
let sharedValidator: SchemaValidator | undefined

export async function startApp(databaseUrl: string, options: SetupOptions = {}): Promise<TestApp> {
  const env = { MILLRACE_DATABASE_URL: databaseUrl, MILLRACE_DATABASE_MIGRATE_ON_START: 'false', MILLRACE_DATABASE_POOL_SIZE: '4', ...options.env }
  const config: Config = readConfig(env, []).config
  const clock = testClock()
  const app = await buildApp({
    config,
    clock,
    random: seededRandom(options.seed ?? 1),
    skipsFileLock: options.sharesFile ?? false,
    assumesAlone: options.assumesAlone ?? false,
  })
  if (!Object.keys(env).some((name) => name.startsWith('MILLRACE_SERVER_SCHEMAS'))) {
    sharedValidator ??= createSchemaValidator(config, systemClock())
    shareSchemaValidator(app.context, sharedValidator)
  }
  return {
    ...app,
    context: actAs(app.context, serviceActor('test')),
    clock,
    async call(method, url, body, headers = {}) {
      const response = await app.server.inject({
        method: method as 'GET',
        url,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = response.body
      return { status: response.statusCode, body: text === '' ? null : JSON.parse(text), headers: response.headers }
    },
    eventNames: async () =>
      (await app.context.reads.kysely.selectFrom('event').select('event').orderBy('position').execute()).map(({ event }) => event),
  }
}

/** Runs one pass of a background service. */
export const runService = (app: { readonly context: ServerContext }, service: Service): ReturnType<Service['runOnce']> =>
  service.runOnce(actAs(app.context, serviceActor(service.name)), new AbortController().signal)
