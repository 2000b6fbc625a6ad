import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the processor, not of the clock. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * How long the page's own thread works while something is done: scripts, styles, layout and painting, in milliseconds of the processor. Not the
 * time that passes: on a machine that has much else to do, frames come late however little is done in them.
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
  // Other pages of the browser have such threads too, and do nothing.
  const busiest = Math.max(...sums)
  if (!(busiest > 0)) throw new Error('the browser told nothing of its threads')
  return busiest / 1000
}
