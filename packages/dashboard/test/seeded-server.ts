import { builtDashboard } from '../../../scripts/build-dashboard.ts'
import { type App, buildApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { type Random, seededRandom } from '../../server/src/lib/random.ts'
import { addSeconds, type Clock, formatTime, type Micros, systemClock } from '../../server/src/lib/time.ts'

/** The system clock, which can be set to a past time while the history is seeded. */
export interface SeedClock extends Clock {
  set(time: Micros | undefined): void
}

export function seedClock(): SeedClock {
  const system = systemClock()
  let held: Micros | undefined
  return {
    now() {
      if (held === undefined) return system.now()
      held += 1
      return held
    },
    set: (time) => {
      held = time
    },
  }
}

export interface SeededServer {
  readonly app: App
  readonly clock: SeedClock
  readonly random: Random
  /** Sends a request and parses the JSON response. Throws on any status but success. */
  // biome-ignore lint/suspicious/noExplicitAny: callers know the shape of the response
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<any>
}

export async function startSeededServer(
  databaseUrl: string,
  env: Record<string, string> = {},
  dashboardFolder = builtDashboard(),
): Promise<SeededServer> {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: databaseUrl, ...env }, [])
  const clock = seedClock()
  const app = await buildApp({ config, clock, dashboardFolder })
  const { auth_string, csrf_protection_enabled } = config.server.api
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(auth_string && { authorization: `Basic ${Buffer.from(auth_string).toString('base64')}` }),
  }
  if (csrf_protection_enabled) {
    const { token } = (await app.server.inject({ url: '/api/csrf-token?client=seed', headers })).json()
    Object.assign(headers, { 'service-csrf-client': 'seed', 'service-csrf-token': token })
  }
  return {
    app,
    clock,
    random: seededRandom(7),
    async call(method, url, body) {
      const response = await app.server.inject({ method, url: `/api${url}`, headers, ...(body !== undefined && { payload: JSON.stringify(body) }) })
      if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`)
      return response.body === '' ? null : JSON.parse(response.body)
    },
  }
}

export const secondsFromNow = (seeded: SeededServer, seconds: number): string => formatTime(addSeconds(seeded.clock.now(), seconds))
