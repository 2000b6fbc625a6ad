import { setTimeout as pause } from 'node:timers/promises'
import { Histogram, round } from './histogram.ts'
import { type ConnectionOptions, HttpConnection } from './http-connection.ts'
import type { LoopResult } from './loop-result.ts'
import { describeDisturbance, describeMachine, readMachineTime } from './machine.ts'
import { type ProcessGroups, readUsage } from './process-usage.ts'
import type { User, Workload } from './workload.ts'

export interface LoopOptions {
  readonly urls: readonly string[]
  readonly connection?: ConnectionOptions
  readonly users: number
  readonly seconds: number
  readonly groups?: ProcessGroups
  /** Values that only grow, such as the bytes of a log. */
  readonly counters?: () => Promise<Readonly<Record<string, number>>>
  readonly signal?: AbortSignal | undefined
}

/** A workload with a fixed number of operations ends after this time at the latest. */
const fixedSecondsMax = 120
/** After an error a user waits, so that a server that is down is not asked a million times. */
const errorPauseMs = 20

/** Runs a workload in a closed loop: each user sends its next operation when the last was answered. Only right answers count. */
export async function runLoop(workload: Workload, options: LoopOptions): Promise<LoopResult> {
  await workload.prepare?.()
  const { urls, connection = {}, signal } = options
  const users = Math.max(Math.min(options.users, workload.usersMax ?? Number.POSITIVE_INFINITY), workload.usersMin ?? 1)
  const connections = Array.from({ length: users }, (_, number) => new HttpConnection(urls[number % urls.length] as string, connection))
  const turns = new Array<number>(users).fill(0)
  let left = workload.operationsMax ?? Number.POSITIVE_INFINITY

  const phase = async (seconds: number, record?: { right(ms: number, units: number): void; wrong(error: unknown): void }) => {
    const end = performance.now() + seconds * 1000
    const act = async (http: HttpConnection, number: number) => {
      while (performance.now() < end && left > 0 && !signal?.aborted) {
        left -= 1
        const turn = turns[number] as number
        turns[number] = turn + 1
        const started = performance.now()
        try {
          const units = (await workload.operation({ http, number, turn } satisfies User)) ?? 1
          record?.right(performance.now() - started, units)
        } catch (error) {
          record?.wrong(error)
          await pause(errorPauseMs)
        }
      }
    }
    await Promise.all(connections.map(act))
  }

  try {
    if (workload.operationsMax === undefined) await phase(Math.min(1, options.seconds / 5))
    const latencies = new Histogram()
    const errorKinds: Record<string, number> = {}
    let units = 0
    const measured = await meter(options, () =>
      phase(workload.operationsMax === undefined ? options.seconds : fixedSecondsMax, {
        right: (ms, count) => {
          latencies.record(ms)
          units += count
        },
        wrong: (error) => {
          const kind = describeKind(error)
          errorKinds[kind] = (errorKinds[kind] ?? 0) + 1
        },
      }),
    )
    signal?.throwIfAborted()
    const errors = Object.values(errorKinds).reduce((sum, count) => sum + count, 0)
    const result: LoopResult = {
      name: workload.name,
      unit: workload.unit,
      users,
      operations: latencies.count,
      unitsPerSecond: round(units / measured.seconds),
      latencyMs: latencies.summary(),
      errors,
      ...(errors > 0 && { errorKinds }),
      ...measured.per(latencies.count),
    }
    return { ...result, ...(await workload.finish?.(result)) }
  } finally {
    for (const http of connections) http.close()
  }
}

/** Measures time, CPU and counters around some work. The number of operations is known afterwards. */
export async function meter(options: Pick<LoopOptions, 'groups' | 'counters'>, work: () => Promise<void>) {
  const groups = Object.entries(options.groups ?? {})
  const usageNow = () => groups.map(([, roots]) => readUsage(roots))
  const [countersBefore, usageBefore, machineBefore] = [await options.counters?.(), usageNow(), readMachineTime()]
  const ownBefore = process.cpuUsage()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  const own = process.cpuUsage(ownBefore)
  const [machineAfter, usageAfter, countersAfter] = [readMachineTime(), usageNow(), await options.counters?.()]
  const ownSeconds = (own.user + own.system) / 1e6
  const groupSeconds = groups.map((_, index) => (usageAfter[index]?.cpuSeconds ?? 0) - (usageBefore[index]?.cpuSeconds ?? 0))
  const allSeconds = groupSeconds.reduce((sum, each) => sum + each, ownSeconds)
  const isComparable = groups.length > 0 && machineBefore && machineAfter
  const { cores } = describeMachine()
  return {
    seconds,
    per: (operations: number) => ({
      seconds: round(seconds),
      perSecond: round(operations / seconds),
      clientCores: round(ownSeconds / seconds),
      ...(groups.length > 0 && {
        usage: Object.fromEntries(
          groups.map(([name], index) => {
            const cpu = groupSeconds[index] as number
            const cpuMsPerOperation = round((cpu * 1000) / Math.max(1, operations))
            return [name, { cores: round(cpu / seconds), cpuMsPerOperation, rssMb: usageAfter[index]?.rssMb ?? 0 }]
          }),
        ),
      }),
      ...(countersBefore &&
        countersAfter && {
          counters: Object.fromEntries(
            Object.entries(countersAfter).map(([name, value]) => [name, round((value - (countersBefore[name] ?? 0)) / Math.max(1, operations))]),
          ),
        }),
      ...(isComparable && { disturbance: describeDisturbance(machineBefore, machineAfter, seconds, allSeconds, cores) }),
    }),
  }
}

/** The message without ids and times, so that equal errors are counted together. */
function describeKind(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>')
    .slice(0, 160)
}
