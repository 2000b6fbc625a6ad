import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const source = pathToFileURL(join(import.meta.dirname, '../src/')).href

/** How often an action is traced. A file that only some of the passes enter belongs to a timer or a cache. */
const passes = 3

/**
 * Compile what reads the rows of a statement, for each connection that runs it: which pass of which walk does that depends on the pool. And what runs each second,
 * which on a slow machine is in all passes.
 */
const sometimesEntered: ReadonlySet<string> = new Set(['storage/row-factory.ts', 'storage/postgres/watchdog.ts'])

/** Passes before that, more than the connections of the pool: each compiles what reads its rows once. */
const warmUpPasses = 12

/**
 * The files of the server that an action enters each time: those with a function that V8 counts as called, sorted, as paths from `packages/server/src`. The action
 * runs first without being traced, so that nothing is loaded, prepared or connected meanwhile.
 */
export async function traceFiles(action: () => Promise<unknown>): Promise<string[]> {
  for (let pass = 0; pass < warmUpPasses; pass += 1) await action()
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const traces: Set<string>[] = []
    for (let pass = 0; pass < passes; pass += 1) {
      // Collecting sets all counts to zero.
      await session.post('Profiler.takePreciseCoverage')
      await action()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const entered = result.filter(({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      traces.push(new Set(entered.map(({ url }) => url.slice(source.length))))
    }
    const [first = new Set<string>(), ...others] = traces
    return [...first].filter((path) => !sometimesEntered.has(path) && others.every((trace) => trace.has(path))).sort()
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
