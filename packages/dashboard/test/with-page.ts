import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { closePage, newPage, type OpenPage } from './browser.ts'
import type { OpenServer } from './open-server.ts'

const startSeconds = 240

/** Opens one server and one page for all tests of a file. A test fails if it leaves console errors. */
export function withPage<O extends OpenServer>(start: () => Promise<O>, onOpen: (open: O, page: OpenPage) => unknown): void {
  let open: O | undefined
  let page: OpenPage | undefined
  beforeAll(async () => {
    open = await start()
    page = await newPage(open.browser, open.address)
    await onOpen(open, page)
  }, startSeconds * 1000)
  afterAll(async () => {
    if (page) await closePage(page)
    await open?.close()
  })
  afterEach(async () => {
    // Ends requests, messages and timers of this test before the next one.
    await page?.goto('about:blank')
    const allowed = page?.allowedErrors.splice(0) ?? []
    expect(page?.consoleErrors.splice(0).filter((message) => !allowed.some((each) => each.test(message)))).toEqual([])
  })
}
