import { performance } from 'node:perf_hooks'
import type { Browser, Request } from 'playwright-core'
import type { App } from '../../server/src/app.ts'
import { closePage, newPage } from './browser.ts'

export interface CallSpeed {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly least: number
  readonly median: number
  readonly p95: number
}

export interface PageSpeed {
  /** Time from navigation to the last answer before the network was idle. The minimum of several visits. */
  readonly readyMs: number
  /** API requests of the page, slowest first. */
  readonly calls: readonly CallSpeed[]
}

const visits = 3
const quietMs = 500
/** Limit for pages that poll and are never idle. */
const quietTimeoutMs = 5000

/** Opens a page with a warm cache, then repeats each of its API requests against the server alone. */
export async function measurePage(
  browser: Browser,
  address: string,
  path: string,
  server: Pick<App['server'], 'inject'>,
  tries: number,
): Promise<PageSpeed> {
  const page = await newPage(browser, address)
  const requests = new Map<string, Request>()
  const ready: number[] = []
  let last = 0
  let pendingCount = 0
  // On a busy machine `networkidle` can fire while scripts are still being parsed, before the first request.
  const waitForQuiet = async () => {
    const start = performance.now()
    while ((pendingCount > 0 || performance.now() - last < quietMs) && performance.now() - start < quietTimeoutMs)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  page.on('request', () => {
    pendingCount += 1
  })
  page.on('requestfailed', () => {
    pendingCount -= 1
  })
  page.on('requestfinished', (request) => {
    last = performance.now()
    pendingCount -= 1
    const url = new URL(request.url())
    if (url.pathname.startsWith('/api/')) requests.set(`${request.method()} ${url.pathname}${url.search} ${request.postData() ?? ''}`, request)
  })
  for (let visit = 0; visit < visits; visit += 1) {
    await page.goto('about:blank')
    const start = performance.now()
    await page.goto(path)
    await page.locator('h1').first().waitFor()
    await waitForQuiet()
    ready.push(last - start)
  }
  await closePage(page)
  const calls: CallSpeed[] = []
  for (const request of requests.values()) calls.push(await measureCall(server, request, tries))
  return { readyMs: Math.min(...ready), calls: calls.sort((one, other) => other.median - one.median) }
}

async function measureCall(server: Pick<App['server'], 'inject'>, request: Request, tries: number): Promise<CallSpeed> {
  const url = new URL(request.url())
  const body = request.postData()
  const times: number[] = []
  for (let round = 0; round < tries; round += 1) {
    const start = performance.now()
    await server.inject({
      method: request.method() as 'GET',
      url: url.pathname + url.search,
      ...(body !== null && { payload: body, headers: { 'content-type': 'application/json' } }),
    })
    times.push(performance.now() - start)
  }
  const sorted = times.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
  return { method: request.method(), path: url.pathname, body, least: at(0), median: at(0.5), p95: at(0.95) }
}
