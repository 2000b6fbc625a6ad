import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of CPU time. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * CPU time of the page's main thread during an action, in milliseconds: scripts, styles, layout and painting. Wall time would
 * depend on the load of the machine.
 */
export async function measureMainThreadMs(browser: Browser, page: Page, action: () => Promise<unknown>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await action()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const sums = threads.map(({ pid, tid }) =>
    traceEvents
      .filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X' && event.name === 'ThreadControllerImpl::RunTask')
      .reduce((sum, { tdur = 0 }) => sum + tdur, 0),
  )
  // Other pages have main threads too, which are idle.
  const busiest = Math.max(...sums)
  if (!(busiest > 0)) throw new Error('the trace contains no main thread')
  return busiest / 1000
}
