import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { type OpenSeededServer, type OpenServer, openServer } from './open-server.ts'
import { sendHeartbeats } from './seed-data.ts'
import type { SeededServer } from './seeded-server.ts'

let connected: Promise<Browser> | undefined

/** The browser of the test run. Test files of one worker share the connection. */
export function connectBrowser(): Promise<Browser> {
  connected ??= chromium.connect(inject('browserEndpoint'))
  return connected
}

/** A server on an empty database that `seed` fills before the server listens. */
export const openTestServer = async <T>(
  seed: (seeded: SeededServer) => Promise<T>,
  env: Record<string, string> = {},
): Promise<OpenServer & { made: T }> => openServer(seed, { env, browser: await connectBrowser(), dashboardFolder: inject('dashboardFolder') })

/** A server on a copy of the seeded database. */
export async function openSeededTestServer(env: Record<string, string> = {}): Promise<OpenSeededServer> {
  const open = await openServer(sendHeartbeats, {
    env,
    browser: await connectBrowser(),
    dashboardFolder: inject('dashboardFolder'),
    databaseFolder: inject('seededFolder'),
  })
  return { ...open, seed: inject('seed') }
}
