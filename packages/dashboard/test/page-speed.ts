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
  /** From going there to the end of the last answer before the network was quiet; the least of several. */
  readonly readyMs: number
  /** What it asked for, the slowest first. */
  readonly calls: readonly CallSpeed[]
}

const visits = 3
const quietMs = 500
/** A page that asks again and again is never quiet. */
const quietTimeoutMs = 5000

/** Opens a page, as somebody who has been here before, and then asks the server again, one after the other, for all that it asked for. */
export async function measurePage(
  browser: Browser,
  address: string,
  path: string,
  server: Pick<App['server'], 'inject'>,
  tries: number,
): Promise<PageSpeed> {
  const page = await newPage(browser, address)
  const asked = new Map<string, Request>()
  const ready: number[] = []
  let last = 0
  let under = 0
  // Playwright's own `networkidle` may come while a busy machine still reads the scripts, before anything was asked for.
  const quiet = async () => {
    const begun = performance.now()
    while ((under > 0 || performance.now() - last < quietMs) && performance.now() - begun < quietTimeoutMs)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  page.on('request', () => {
    under += 1
  })
  page.on('requestfailed', () => {
    under -= 1
  })
  page.on('requestfinished', (request) => {
    last = performance.now()
    under -= 1
    const url = new URL(request.url())
    if (url.pathname.startsWith('/api/')) asked.set(`${request.method()} ${url.pathname}${url.search} ${request.postData() ?? ''}`, request)
  })
  for (let visit = 0; visit < visits; visit += 1) {
    await page.goto('about:blank')
    const begun = performance.now()
    await page.goto(path)
    await page.locator('h1').first().waitFor()
    await quiet()
    ready.push(last - begun)
  }
  await closePage(page)
  const calls: CallSpeed[] = []
  for (const request of asked.values()) calls.push(await measureCall(server, request, tries))
  return { readyMs: Math.min(...ready), calls: calls.sort((one, other) => other.median - one.median) }
}

async function measureCall(server: Pick<App['server'], 'inject'>, request: Request, tries: number): Promise<CallSpeed> {
  const url = new URL(request.url())
  const body = request.postData()
  const took: number[] = []
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const begun = performance.now()
    await server.inject({
      method: request.method() as 'GET',
      url: url.pathname + url.search,
      ...(body !== null && { payload: body, headers: { 'content-type': 'application/json' } }),
    })
    took.push(performance.now() - begun)
  }
  const sorted = took.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
  return { method: request.method(), path: url.pathname, body, least: at(0), median: at(0.5), p95: at(0.95) }
}
