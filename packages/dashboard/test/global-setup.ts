import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { builtDashboard } from '../../../scripts/build-dashboard.ts'
import { launchBrowserServer } from './browser.ts'
import { type SeedData, seedData } from './seed-data.ts'
import { startSeededServer } from './seeded-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** WebSocket endpoint of the browser that all test files share. */
    browserEndpoint: string
    /** A copy of the built dashboard. A build during the run would remove files that a page is about to load. */
    dashboardFolder: string
    /** Folder with the seeded database and its key file. Each test file starts its server on a copy. */
    seededFolder: string
    seed: SeedData
  }
}

let scratch: string | undefined
let browser: BrowserServer | undefined

/**
 * Builds the dashboard, seeds a database and starts Chromium once per run. Per test file this took about 1.9 s, and a build on a busy machine
 * takes longer than a test may.
 */
export async function setup(project: TestProject): Promise<void> {
  scratch = mkdtempSync(join(tmpdir(), 'millrace-dashboard-'))
  const dashboardFolder = join(scratch, 'dashboard')
  const seededFolder = join(scratch, 'seeded')
  cpSync(builtDashboard(), dashboardFolder, { recursive: true })
  browser = await launchBrowserServer()
  const seeded = await startSeededServer(`sqlite:${join(seededFolder, 'millrace.db')}`, {}, dashboardFolder)
  project.provide('seed', await seedData(seeded))
  await seeded.app.close()
  project.provide('dashboardFolder', dashboardFolder)
  project.provide('seededFolder', seededFolder)
  project.provide('browserEndpoint', browser.wsEndpoint())
}

export async function teardown(): Promise<void> {
  await browser?.close()
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
}
