import { round } from './histogram.ts'
import type { Machine } from './machine.ts'
import type { MeasuredResult } from './run-bench.ts'

/** Medians of the repetitions of one workload. */
export interface Figure {
  readonly unit: string
  readonly users: number
  readonly per_second: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  /** Wrong answers of all repetitions. */
  readonly errors: number
  readonly failure?: string
  /** CPU milliseconds per operation, by process group. */
  readonly cpu_ms?: Readonly<Record<string, number>>
  readonly client_cores: number
  readonly memory_mb?: number
  /** Per operation: bytes of the write-ahead log, commits. */
  readonly counters?: Readonly<Record<string, number>>
  /** Events that could be read back, per second. */
  readonly stored_per_second?: number
  /** Cores that processes outside of the measurement used. */
  readonly foreign_cores?: number
  readonly repeats: number
  /** The machine was busy with other work in more than half of the repetitions. */
  readonly is_busy?: true
}

/** By workload and number of users: `lifecycle@16`. */
export type Figures = Readonly<Record<string, Figure>>

export interface MemorySample {
  readonly seconds: number
  readonly rss_mb: number
  readonly phase: 'idle' | 'load' | 'after'
}

/** What was measured in one run of the bench. Figures of one section were measured in the same hour and can be compared. */
export interface Section {
  /** ISO time. */
  readonly measured: string
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly seconds: number
  readonly repeats: number
  /** By server and database: `millrace-sqlite`. In the section `growth` also by size: `millrace-sqlite:1000`. */
  readonly subjects: Readonly<Record<string, Figures>>
  readonly memory?: Readonly<Record<string, MemoryCourse>>
}

export interface MemoryCourse {
  readonly samples: readonly MemorySample[]
  readonly runs: number
  /** Size of the database after the load. */
  readonly disk_mb: number
  /** Another database that holds nothing but seeded flow runs and their events. */
  readonly seeded?: { readonly runs: number; readonly disk_mb: number }
}

export const sectionNames = ['clients', 'sqlite', 'postgres', 'reference', 'processes', 'versions', 'sockets', 'growth', 'memory'] as const
export type SectionName = (typeof sectionNames)[number]

/** The content of docs/benchmarks/results.json. */
export interface Results {
  readonly format: 1
  /** The figures were measured on a busy machine, in a hurry, or before the last changes. The pages say so. */
  readonly is_provisional?: true
  readonly sections: Readonly<Partial<Record<SectionName, Section>>>
}

export const figureKey = (name: string, users: number): string => `${name}@${users}`

export const workloadOf = (key: string): string => key.replace(/@\d+$/, '')

/** The value in the middle; the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Summarises the repetitions of one workload. */
export function toFigure(results: readonly MeasuredResult[]): Figure {
  const [first] = results
  if (!first) throw new RangeError('A figure needs at least one result')
  const right = results.filter(({ failure }) => failure === undefined)
  const shown = right.length > 0 ? right : results
  const middle = (value: (result: MeasuredResult) => number | undefined): number | null => {
    const values = shown.map(value).filter((each) => each !== undefined)
    return values.length === 0 ? null : round(median(values))
  }
  const namesOf = (values: (result: MeasuredResult) => object | undefined) => [
    ...new Set(shown.flatMap((result) => Object.keys(values(result) ?? {}))),
  ]
  const groups = namesOf(({ usage }) => usage)
  const counters = namesOf((result) => result.counters)
  const rss = middle(({ usage }) => (usage ? Object.values(usage).reduce((sum, { rssMb }) => sum + rssMb, 0) : undefined))
  const stored = middle((result) => result.stored?.perSecond)
  const foreign = middle((result) => result.disturbance?.foreignCores)
  const busy = results.filter(({ disturbance }) => disturbance?.isBusy).length
  const failure = right.length === 0 ? first.failure : undefined
  return {
    unit: first.unit,
    users: first.users,
    per_second: middle(({ unitsPerSecond }) => unitsPerSecond) ?? 0,
    p50_ms: middle(({ latencyMs }) => latencyMs?.p50),
    p95_ms: middle(({ latencyMs }) => latencyMs?.p95),
    p99_ms: middle(({ latencyMs }) => latencyMs?.p99),
    errors: results.reduce((sum, { errors }) => sum + errors, 0),
    ...(failure !== undefined && { failure }),
    ...(groups.length > 0 && {
      cpu_ms: Object.fromEntries(groups.map((group) => [group, middle(({ usage }) => usage?.[group]?.cpuMsPerOperation) ?? 0])),
    }),
    client_cores: middle(({ clientCores }) => clientCores) ?? 0,
    ...(rss !== null && groups.length > 0 && { memory_mb: rss }),
    ...(counters.length > 0 && {
      counters: Object.fromEntries(counters.map((name) => [name, middle((result) => result.counters?.[name]) ?? 0])),
    }),
    ...(stored !== null && { stored_per_second: stored }),
    ...(foreign !== null && { foreign_cores: foreign }),
    repeats: results.length,
    ...(busy * 2 > results.length && { is_busy: true }),
  }
}

/** Units per operation are constant, so that CPU per operation and rate per unit can be related. */
export const totalCpuMs = ({ cpu_ms = {} }: Figure): number => Object.values(cpu_ms).reduce((sum, each) => sum + each, 0)
