import { type Figure, type Results, type SectionName, totalCpuMs, workloadOf } from './results.ts'
import { shortNumber } from './svg-chart.ts'

/** A figure that is asked for, and how the results answer it. */
export interface Target {
  readonly name: string
  readonly goal: string
  /** Undefined if a section is not measured. */
  measure(results: Results): Answer | undefined
}

export interface Answer {
  readonly text: string
  readonly isMet: boolean
  readonly isBusy?: boolean
}

type Find = (section: SectionName, subject: string, key: string) => Figure | undefined

const finder =
  ({ sections }: Results): Find =>
  (section, subject, key) => {
    const figure = sections[section]?.subjects[subject]?.[key]
    return figure?.failure === undefined ? figure : undefined
  }

const number = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3))))

/** A target for a single figure. */
function figureTarget(
  name: string,
  goal: string,
  [section, subject, key]: readonly [SectionName, string, string],
  read: (figure: Figure) => number | null | undefined,
  isMet: (value: number) => boolean,
  unit: string,
): Target {
  return {
    name,
    goal,
    measure(results) {
      const figure = finder(results)(section, subject, key)
      const value = figure && read(figure)
      if (figure === undefined || value === undefined || value === null) return undefined
      return { text: `${number(value)}${unit}`, isMet: isMet(value), isBusy: figure.is_busy === true }
    },
  }
}

/** A target for a rate relative to that of the reference, measured in the same section. */
function timesReference(
  workload: string,
  factor: number,
  read: (figure: Figure) => number = ({ per_second }) => per_second,
  section: SectionName = 'reference',
): Target {
  return {
    name: `PostgreSQL: ${workload}`,
    goal: `≥ ${factor} × the reference`,
    measure(results) {
      const find = finder(results)
      const [ours, theirs] = [find(section, 'millrace-postgres', `${workload}@16`), find(section, 'reference-postgres', `${workload}@16`)]
      if (!ours || !theirs || theirs.per_second === 0) return undefined
      const ratio = read(ours) / theirs.per_second
      return {
        text: `${number(ratio)} × (${number(read(ours))} / ${number(theirs.per_second)} per second)`,
        isMet: ratio >= factor,
        isBusy: ours.is_busy === true,
      }
    },
  }
}

/** How much slower the reads of the largest database are than those of the smallest. */
function growthTarget(name: string, goal: string, database: string, isIncluded: (workload: string) => boolean, factor: number): Target {
  return {
    name,
    goal,
    measure(results) {
      const ratios = growthRatios(results, database).filter(({ workload }) => isIncluded(workload))
      const worst = ratios.toSorted((a, b) => b.ratio - a.ratio)[0]
      if (!worst) return undefined
      return {
        text: `${number(worst.ratio)} × at ${shortNumber(worst.runs)} runs (${worst.workload})`,
        isMet: worst.ratio <= factor && worst.runs >= 1e6,
        isBusy: worst.isBusy,
      }
    },
  }
}

export interface GrowthRatio {
  readonly workload: string
  /** Size of the largest database. */
  readonly runs: number
  /** CPU of an operation on the largest database, relative to the smallest. CPU is compared because other work on the machine does not change it much. */
  readonly ratio: number
  readonly isBusy: boolean
}

/** Sizes of a database in the section `growth`, ascending. */
export const growthSizes = ({ sections }: Results, database: string): number[] =>
  Object.keys(sections.growth?.subjects ?? {})
    .filter((name) => name.startsWith(`millrace-${database}:`))
    .map((name) => Number(name.split(':')[1]))
    .toSorted((a, b) => a - b)

export function growthRatios(results: Results, database: string): GrowthRatio[] {
  const sizes = growthSizes(results, database)
  const [smallest, largest] = [sizes[0], sizes.at(-1)]
  if (smallest === undefined || largest === undefined || smallest === largest) return []
  const figuresOf = (size: number) => results.sections.growth?.subjects[`millrace-${database}:${size}`] ?? {}
  return Object.entries(figuresOf(largest)).flatMap(([key, large]) => {
    const small = figuresOf(smallest)[key]
    if (!small || large.failure !== undefined || key.startsWith('health_during') || totalCpuMs(small) === 0) return []
    return [{ workload: workloadOf(key), runs: largest, ratio: totalCpuMs(large) / totalCpuMs(small), isBusy: large.is_busy === true }]
  })
}

const isHistory = (workload: string): boolean => workload.startsWith('history')
const sqlite = (key: string) => ['sqlite', 'millrace-sqlite', key] as const
const postgres = (key: string) => ['postgres', 'millrace-postgres', key] as const

export const targets: readonly Target[] = [
  {
    name: 'SQLite: lifecycle, 16 users',
    goal: '≥ 1,000/s, or within 1.5 × of the prototype',
    measure(results) {
      const find = finder(results)
      const [ours, limit] = [find(...sqlite('lifecycle@16')), find('sqlite', 'prototype', 'lifecycle@16')]
      if (!ours || !limit) return undefined
      const factor = limit.per_second / ours.per_second
      const text = `${number(ours.per_second)}/s; the prototype is ${number(factor)} × as fast`
      return { text, isMet: ours.per_second >= 1000 || factor <= 1.5, isBusy: ours.is_busy === true }
    },
  },
  figureTarget(
    'SQLite: p99 of a lifecycle, 16 users',
    '≤ 50 ms',
    sqlite('lifecycle@16'),
    ({ p99_ms }) => p99_ms,
    (value) => value <= 50,
    ' ms',
  ),
  figureTarget(
    'SQLite: errors at 64 users',
    '0',
    sqlite('lifecycle@64'),
    ({ errors }) => errors,
    (value) => value === 0,
    '',
  ),
  figureTarget('SQLite: CPU per lifecycle', '≤ 1.0 ms', sqlite('lifecycle@16'), totalCpuMs, (value) => value <= 1, ' ms'),
  figureTarget(
    'SQLite: run with one task, 16 users',
    '≥ 700/s',
    sqlite('one_task_run@16'),
    ({ per_second }) => per_second,
    (value) => value >= 700,
    '/s',
  ),
  figureTarget(
    'PostgreSQL: CPU per lifecycle, server and database',
    '≤ 2.5 ms',
    postgres('lifecycle@16'),
    totalCpuMs,
    (value) => value <= 2.5,
    ' ms',
  ),
  figureTarget(
    'PostgreSQL: run with one task, 16 users',
    '≥ 450/s',
    postgres('one_task_run@16'),
    ({ per_second }) => per_second,
    (value) => value >= 450,
    '/s',
  ),
  figureTarget('PostgreSQL: CPU per run with one task', '≤ 3.5 ms', postgres('one_task_run@16'), totalCpuMs, (value) => value <= 3.5, ' ms'),
  figureTarget(
    'PostgreSQL: run with one task, one user',
    '≤ 10 ms',
    postgres('one_task_run@1'),
    ({ p50_ms }) => p50_ms,
    (value) => value <= 10,
    ' ms',
  ),
  timesReference('client.run', 60, undefined, 'clients'),
  timesReference('lifecycle', 40),
  timesReference('tasks', 40),
  timesReference('filter.latest', 25),
  timesReference('events.write', 10),
  timesReference('graph.v2', 20),
  {
    name: 'PostgreSQL: two processes',
    goal: '≥ 1.5 × one when cores are free',
    measure(results) {
      const find = finder(results)
      const ratioOf = (section: SectionName, from: string, to: string, key: string) => {
        const [one, two] = [find(section, from, key), find(section, to, key)]
        return one && two ? { ratio: two.per_second / one.per_second, isBusy: one.is_busy === true || two.is_busy === true } : undefined
      }
      const limitedRatio = (kind: string) => ratioOf('processes', 'millrace-postgres-limited', `millrace-postgres-limited-${kind}`, 'lifecycle@128')
      const [processes, replicas] = [limitedRatio('processes'), limitedRatio('replicas')]
      const shared = ratioOf('postgres', 'millrace-postgres', 'millrace-postgres-2', 'lifecycle@16')
      if (!processes || !replicas) return undefined
      const onShared = shared ? `; ${number(shared.ratio)} × with 16 users on two cores with client and database` : ''
      return {
        text: `${number(processes.ratio)} × as one command, ${number(replicas.ratio)} × as two servers, with a third of a core for each process and 128 users${onShared}`,
        isMet: Math.max(processes.ratio, replicas.ratio) >= 1.5,
        isBusy: processes.isBusy || replicas.isBusy,
      }
    },
  },
  ...['sqlite', 'postgres'].flatMap((database) => [
    growthTarget(`Growth on ${database}: reads`, '≤ 2 × from 1,000 to 1,000,000 runs', database, (workload) => !isHistory(workload), 2),
    growthTarget(`Growth on ${database}: history`, '≤ 5 × from 1,000 to 1,000,000 runs', database, isHistory, 5),
    {
      name: `Health during a 7-day history on ${database}`,
      goal: 'p99 < 50 ms at 1,000,000 runs',
      measure(results: Results) {
        const size = growthSizes(results, database).at(-1) ?? 0
        const figure = finder(results)('growth', `millrace-${database}:${size}`, 'health_during_history@1')
        if (!figure || figure.p99_ms === null) return undefined
        return {
          text: `${number(figure.p99_ms)} ms at ${shortNumber(size)} runs`,
          isMet: figure.p99_ms < 50 && size >= 1e6,
          isBusy: figure.is_busy === true,
        }
      },
    },
  ]),
  memoryTarget('Memory on SQLite, idle', '≤ 120 MB', 'idle', 120),
  memoryTarget('Memory on SQLite, under load', '≤ 250 MB', 'load', 250),
  {
    name: 'Disk on SQLite',
    goal: '≤ 600 MB per 100,000 runs',
    measure({ sections }) {
      const course = sections.memory?.memory?.['millrace-sqlite']
      if (!course?.seeded || course.seeded.runs === 0) return undefined
      const { runs, disk_mb } = course.seeded
      const megabytes = (disk_mb / runs) * 1e5
      return { text: `${number(megabytes)} MB (${number(disk_mb)} MB with ${number(runs)} runs)`, isMet: megabytes <= 600 && runs >= 1e5 }
    },
  },
]

function memoryTarget(name: string, goal: string, phase: string, megabytesMax: number): Target {
  return {
    name,
    goal,
    measure({ sections }) {
      const samples = sections.memory?.memory?.['millrace-sqlite']?.samples.filter((sample) => sample.phase === phase) ?? []
      if (samples.length === 0) return undefined
      const highest = Math.max(...samples.map(({ rss_mb }) => rss_mb))
      return { text: `${highest} MB at most`, isMet: highest <= megabytesMax }
    },
  }
}
