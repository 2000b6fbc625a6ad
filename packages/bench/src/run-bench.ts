import { allMeasurements, isTrial, type Measurement, selectMeasurements } from './all-workloads.ts'
import { type LoopOptions, meter, runLoop } from './closed-loop.ts'
import { type ConnectionOptions, HttpConnection } from './http-connection.ts'
import type { LoopResult } from './loop-result.ts'
import { patient, seed } from './seed.ts'
import { type BenchContext, defaultSizes, type FixtureSizes } from './workload.ts'

export interface BenchOptions extends Pick<LoopOptions, 'groups' | 'counters'> {
  readonly urls: readonly string[]
  readonly connection?: ConnectionOptions
  readonly token?: string | undefined
  /** Starts the names of everything that is created. */
  readonly prefix: string
  /** Eight hexadecimal digits, different in each measurement of a server. */
  readonly stamp: string
  /** Seeded flow runs. Most reads need a thousand. */
  readonly runs: number
  readonly sizes?: FixtureSizes
  readonly onSeed?: (runs: number) => void
  readonly signal?: AbortSignal | undefined
}

/** A result with the workload's failure, if it could not run at all. */
export type MeasuredResult = LoopResult & { readonly failure?: string }

/** Seeds a server and returns what its measurements need. */
export async function openBench(options: BenchOptions): Promise<BenchContext> {
  const { urls, connection = {}, prefix, stamp, runs, onSeed, signal } = options
  const url = urls[0] as string
  const { fixtures, seeded } = await seed({ url, connection, prefix, runs, signal, ...(onSeed && { onProgress: onSeed }) })
  const setup = new HttpConnection(url, { ...connection, ...patient })
  let ids = 0
  const newId = () => {
    ids += 1
    const digits = ids.toString(16).padStart(15, '0')
    return `${stamp}-${digits.slice(0, 4)}-4${digits.slice(4, 7)}-8${digits.slice(7, 10)}-${digits.slice(10).padStart(12, '0')}`
  }
  return { urls, connection, token: options.token, setup, fixtures, stamp, seeded, sizes: options.sizes ?? defaultSizes, newId }
}

export interface RunOptions extends BenchOptions {
  readonly only?: readonly string[]
  readonly seconds: number
  readonly users: number
  /** Called before each measurement, with its name. */
  readonly onStart?: (name: string, index: number, total: number) => void
  readonly onResult?: (result: MeasuredResult) => void
}

/** Runs the chosen measurements one after the other. One that fails does not end the others. */
export async function runBench(options: RunOptions): Promise<MeasuredResult[]> {
  const context = await openBench(options)
  try {
    const chosen = selectMeasurements(allMeasurements(context), options.only ?? [])
    const results: MeasuredResult[] = []
    for (const [index, measurement] of chosen.entries()) {
      options.onStart?.(measurement.name, index, chosen.length)
      const result = await measure(measurement, options)
      options.onResult?.(result)
      results.push(result)
    }
    return results
  } finally {
    context.setup.close()
  }
}

/** Runs one measurement. A failure to prepare it is part of the result. */
export async function measure(
  measurement: Measurement,
  options: Omit<LoopOptions, 'signal'> & { signal?: AbortSignal | undefined },
): Promise<MeasuredResult> {
  try {
    if (!isTrial(measurement)) return await runLoop(measurement, options)
    const { name, unit } = measurement
    let result: Awaited<ReturnType<typeof measurement.measure>> | undefined
    const measured = await meter(options, async () => {
      result = await measurement.measure(options)
    })
    return { ...measured.per(result?.operations ?? 0), name, unit, ...(result as NonNullable<typeof result>) }
  } catch (error) {
    options.signal?.throwIfAborted()
    const { name, unit } = measurement
    const none = { operations: 0, perSecond: 0, unitsPerSecond: 0, latencyMs: undefined, errors: 1, clientCores: 0 }
    return { name, unit, users: options.users, seconds: 0, ...none, failure: error instanceof Error ? error.message : String(error) }
  }
}
