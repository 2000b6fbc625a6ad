import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { builtDashboard } from '../../../scripts/build-dashboard.ts'
import { launchBrowser } from './browser.ts'
import { type SeedData, seedData } from './seed-data.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

export interface OpenServer {
  /** Where the server listens. */
  readonly address: string
  readonly seeded: SeededServer
  readonly call: SeededServer['call']
  readonly browser: Browser
  close(): Promise<void>
}

interface OpenServerOptions {
  readonly env?: Record<string, string>
  /** A shared browser, which stays open. Without it the server gets its own. */
  readonly browser?: Browser
  /** A folder that no build changes while the server runs. Without it the server gets a copy of the build. */
  readonly dashboardFolder?: string
  /** The server starts on a copy of the database in this folder instead of an empty one. */
  readonly databaseFolder?: string
}

/** Starts a server on its own SQLite file, seeds it before it listens, and opens a browser. */
export async function openServer<T>(
  seed: (seeded: SeededServer) => Promise<T>,
  { env = {}, browser, dashboardFolder, databaseFolder }: OpenServerOptions = {},
): Promise<OpenServer & { made: T }> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-dashboard-'))
  const dashboard = dashboardFolder ?? join(scratch, 'dashboard')
  if (dashboardFolder === undefined) cpSync(builtDashboard(), dashboard, { recursive: true })
  const database = join(scratch, 'database')
  if (databaseFolder !== undefined) cpSync(databaseFolder, database, { recursive: true })
  const seeded = await startSeededServer(`sqlite:${join(database, 'millrace.db')}`, env, dashboard)
  const made = await seed(seeded)
  const address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })
  const used = browser ?? (await launchBrowser())
  return {
    address,
    seeded,
    call: seeded.call,
    made,
    browser: used,
    async close() {
      if (browser === undefined) await used.close()
      await seeded.app.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

export interface OpenSeededServer extends OpenServer {
  readonly seed: SeedData
}

/** Starts a server with one day of runs. */
export async function openSeededServer(env: Record<string, string> = {}): Promise<OpenSeededServer> {
  const { made: seed, ...open } = await openServer(seedData, { env })
  return { ...open, seed }
}
