/**
 * Opens the web pages of the Python package, both generations, against Millrace and reports failures: `npm run interop:web-ui -- [VERSION]`.
 * A failure is a failed request of a page or an error in the browser console.
 */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closePage, newPage } from '../../packages/dashboard/test/browser.ts'
import { openSeededServer } from '../../packages/dashboard/test/open-server.ts'
import type { SeedData } from '../../packages/dashboard/test/seed-data.ts'
import { installClient, readClients } from './interop-clients.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const clients = readClients(join(root, 'interop', 'clients.json'))
const version = process.argv[2] ?? '3.8.8'
const bin = await installClient(clients.find((client) => client.version === version) ?? { version }, join(root, '.cache', 'interop'))

const [packages] = globSync(join(bin, '..', 'lib', 'python*', 'site-packages'))
if (packages === undefined) throw new Error(`no packages beside ${bin}`)

const placeholder = '/PREFECT_UI_SERVE_BASE_REPLACE_PLACEHOLDER'
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

/** Serves the pages at `/` as the reference does: with the API URL in their settings, and the index page for unknown paths. */
async function serveUi(folder: string, apiUrl: string): Promise<Server> {
  const settings = {
    api_url: apiUrl,
    csrf_enabled: false,
    auth: null,
    flags: [],
    default_ui: 'v1',
    available_uis: ['v1', 'v2'],
    v1_base_url: '/',
    v2_base_url: '/',
  }
  const server = createServer(async ({ url = '/' }, answer) => {
    const path = new URL(url, 'http://ui').pathname
    if (path.endsWith('/ui-settings')) {
      answer.setHeader('content-type', 'application/json')
      return answer.end(JSON.stringify(settings))
    }
    const wanted = extname(path) === '' ? '/index.html' : path
    try {
      const file = await readFile(join(folder, wanted))
      answer.setHeader('content-type', types[extname(wanted)] ?? 'application/octet-stream')
      answer.end(['.html', '.js', '.css'].includes(extname(wanted)) ? file.toString('utf8').replaceAll(placeholder, '') : file)
    } catch {
      answer.statusCode = 404
      answer.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const paths = (seed: SeedData): string[] => [
  ...[
    '/dashboard',
    '/runs',
    '/flows',
    '/deployments',
    '/work-pools',
    '/blocks',
    '/blocks/catalog',
    '/variables',
    '/automations',
    '/automations/create',
  ],
  ...['/events', '/artifacts', '/concurrency-limits', '/settings'],
  ...[seed.runningRun, seed.failedRun, seed.pausedRun].map((id) => `/runs/flow-run/${id}`),
  `/runs/task-run/${seed.taskRun}`,
  `/flows/flow/${seed.flows['ingest-orders']}`,
  `/deployments/deployment/${seed.deployments['ingest-orders']}`,
  `/deployments/deployment/${seed.deployments['ingest-orders']}/run`,
  `/deployments/deployment/${seed.deployments['ingest-orders']}/edit`,
  '/work-pools/work-pool/kubernetes',
  '/work-pools/work-pool/kubernetes/queue/default',
  '/work-pools/create',
]

const open = await openSeededServer({ MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: '*' })
const api = `${open.address}/api`
let [passed, failed] = [0, 0]
for (const generation of ['ui', 'ui-v2']) {
  const ui = await serveUi(join(packages, 'prefect', 'server', generation), api)
  const origin = `http://127.0.0.1:${(ui.address() as AddressInfo).port}`
  for (const path of paths(open.seed)) {
    const page = await newPage(open.browser, origin)
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.url().startsWith(api) && response.status() >= 400)
        refused.push(`${response.request().method()} ${response.url()} ${response.status()}`)
    })
    await page.goto(path)
    // The second generation shows its menu long before the page content.
    await page
      .waitForFunction("(document.querySelector('main') ?? document.body).innerText.trim().length > 40", undefined, { timeout: 30_000 })
      .catch(() => refused.push('it stays empty'))
    await page.waitForLoadState('networkidle').catch(() => refused.push('it never came to rest'))
    const text = (await page.locator('body').innerText()).trim()
    // The pages load pictures and fonts from other hosts and send analytics; these hosts are not reachable.
    const consoleErrors = page.consoleErrors.filter(
      (line) => /Error|Uncaught/.test(line) && !/ERR_(NAME|INTERNET|CONNECTION|TUNNEL|PROXY)|fonts\.|[Aa]mplitude|Failed to load resource/.test(line),
    )
    const good = refused.length === 0 && consoleErrors.length === 0 && !/something went wrong/i.test(text)
    console.log(`${good ? 'ok  ' : 'FAIL'} ${generation} ${path} (${text.length} letters)`)
    for (const line of [...refused, ...consoleErrors]) console.log(`       ${line.slice(0, 300)}`)
    if (good) passed += 1
    else failed += 1
    await closePage(page)
  }
  ui.close()
  ui.closeAllConnections()
}
await open.close()
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
