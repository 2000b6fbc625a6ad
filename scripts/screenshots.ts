/** Pictures of every page, light and dark, wide and on a phone, into docs/images. `node scripts/screenshots.ts [PAGE…]` makes only some. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closePage, launchBrowser, newPage, sizes, visit } from '../packages/dashboard/test/browser.ts'
import { seedMill } from '../packages/dashboard/test/mill.ts'
import { startSeeded } from '../packages/dashboard/test/seed.ts'
import { repository } from './repository.ts'

const wanted = process.argv.slice(2)
const target = join(repository, 'docs/images')
const scratch = mkdtempSync(join(tmpdir(), 'millrace-screenshots-'))
const seeded = await startSeeded(`sqlite:${join(scratch, 'millrace.db')}`)
const mill = await seedMill(seeded)
const address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })

const pages: Record<string, string> = {
  home: '/dashboard',
  runs: '/runs',
  'runs-filtered': '/runs?state=Failed&state=Crashed',
  run: `/runs/flow-run/${mill.runningRun}`,
  'run-graph': `/runs/flow-run/${mill.runningRun}?tab=graph`,
  'run-tasks': `/runs/flow-run/${mill.runningRun}?tab=tasks`,
  'run-failed': `/runs/flow-run/${mill.failedRun}?tab=states`,
  'run-paused': `/runs/flow-run/${mill.pausedRun}?tab=parameters`,
  flows: '/flows',
  flow: `/flows/flow/${mill.flows['ingest-orders']}`,
  deployments: '/deployments',
  deployment: `/deployments/deployment/${mill.deployments['ingest-orders']}`,
  'work-pools': '/work-pools',
  'work-pool': '/work-pools/work-pool/kubernetes',
  'concurrency-limits': '/concurrency-limits',
  automations: '/automations',
  events: '/events',
  blocks: '/blocks',
  variables: '/variables',
  artifacts: '/artifacts',
  settings: '/settings',
}

mkdirSync(target, { recursive: true })
const browser = await launchBrowser()
try {
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await newPage(browser, address, { theme, size })
      for (const [name, path] of Object.entries(pages)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue
        await visit(page, path)
        await page.screenshot({ path: join(target, `${name}-${size}-${theme}.png`) })
      }
      for (const complaint of page.complaints) console.error(complaint)
      await closePage(page)
    }
  }
} finally {
  await browser.close()
  await seeded.app.close()
  rmSync(scratch, { recursive: true, force: true })
}
