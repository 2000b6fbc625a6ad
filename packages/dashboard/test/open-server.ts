import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { builtDashboard } from '../../../scripts/build-dashboard.ts'
import { launchBrowser } from './browser.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

export interface OpenServer {
  /** Where the server listens. */
  readonly address: string
  readonly seeded: SeededServer
  readonly call: SeededServer['call']
  readonly browser: Browser
  close(): Promise<void>
}

/** A real server on a database of its own, with what is put there before it listens, and a browser to look at it with. */
export async function openServer<T>(seed: (seeded: SeededServer) => Promise<T>, env: Record<string, string> = {}): Promise<OpenServer & { made: T }> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-dashboard-'))
  // A copy: a build in the meantime would take away the files that a page is about to load.
  const dashboard = join(scratch, 'dashboard')
  cpSync(builtDashboard(), dashboard, { recursive: true })
  const seeded = await startSeededServer(`sqlite:${join(scratch, 'millrace.db')}`, env, dashboard)
  const made = await seed(seeded)
  const address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })
  const browser = await launchBrowser()
  return {
    address,
    seeded,
    call: seeded.call,
    made,
    browser,
    async close() {
      await browser.close()
      await seeded.app.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
