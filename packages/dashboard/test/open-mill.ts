import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Mill, seedMill } from './mill.ts'
import { type Seeded, startSeeded } from './seed.ts'

export interface OpenMill {
  /** Where the server listens. */
  readonly address: string
  readonly call: Seeded['call']
  readonly mill: Mill
  readonly browser: Browser
  close(): Promise<void>
}

/** A real server on a database of its own, with a day's work in it, and a browser to look at it with. */
export async function openMill(env: Record<string, string> = {}): Promise<OpenMill> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-dashboard-'))
  const seeded = await startSeeded(`sqlite:${join(scratch, 'millrace.db')}`, env)
  const mill = await seedMill(seeded)
  const address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })
  const browser = await launchBrowser()
  return {
    address,
    call: seeded.call,
    mill,
    browser,
    async close() {
      await browser.close()
      await seeded.app.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
