/**
 * Measures the dashboard on a week with many runs: opens each page and repeats each request that the page made.
 * `npm run dashboard-speed -- --runs 1000000 --database postgres://… [--seeded facts.json] [PAGE…]`. With `--seeded` the database is filled once.
 * On a busy machine the minimum of several measurements says more than the 95th percentile.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../../packages/dashboard/test/browser.ts'
import { measurePage } from '../../packages/dashboard/test/page-speed.ts'
import { listPages } from '../../packages/dashboard/test/pages.ts'
import { type SeedData, seedData } from '../../packages/dashboard/test/seed-data.ts'
import { seedManyRuns } from '../../packages/dashboard/test/seed-many-runs.ts'
import { type SeededServer, startSeededServer } from '../../packages/dashboard/test/seeded-server.ts'
import { builtDashboard } from '../build-dashboard.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    runs: { type: 'string', default: '10000' },
    seeded: { type: 'string' },
    tries: { type: 'string', default: '20' },
    calls: { type: 'boolean', default: false },
  },
})

const scratch = mkdtempSync(join(tmpdir(), 'millrace-speed-'))
// A copy: a build during the measurement would remove files that a page is about to load.
const dashboard = join(scratch, 'dashboard')
cpSync(builtDashboard(), dashboard, { recursive: true })
const seeded = await startSeededServer(values.database ?? `sqlite:${join(scratch, 'millrace.db')}`, {}, dashboard)
const seed = await seedOnce(seeded)
const address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })
const browser = await launchBrowser()

console.log('page                             ready ms   slowest call: least / median / p95 ms')
for (const [name, { path }] of Object.entries(listPages(seed))) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const { readyMs, calls } = await measurePage(browser, address, path, seeded.app.server, Number(values.tries))
  const [slowest] = calls
  console.log(`${name.padEnd(32)} ${readyMs.toFixed(0).padStart(8)}   ${slowest ? formatCall(slowest) : 'no calls'}`)
  if (values.calls) for (const call of calls) console.log(`    ${formatCall(call)} ${call.body ?? ''}`)
}

await browser.close()
await seeded.app.close()
rmSync(scratch, { recursive: true, force: true })

function formatCall({ method, path, least, median, p95 }: Awaited<ReturnType<typeof measurePage>>['calls'][number]): string {
  return `${method} ${path}: ${[least, median, p95].map((ms) => ms.toFixed(0)).join(' / ')}`
}

async function seedOnce(into: SeededServer): Promise<SeedData> {
  if (values.seeded && existsSync(values.seeded)) return JSON.parse(readFileSync(values.seeded, 'utf8')) as SeedData
  const made = await seedData(into)
  await seedManyRuns(into, Number(values.runs), (text) => console.error(text))
  if (values.seeded) writeFileSync(values.seeded, JSON.stringify(made))
  return made
}
