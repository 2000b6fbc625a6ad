import { type CostCurve, costAt, costCurve, type Deployment, deploymentCapacity, limitNames, modelPoints } from './capacity-model.ts'
import { type Figure, type Figures, type Results, type Section, sectionNames, totalCpuMs, workloadOf } from './results.ts'
import { shortNumber } from './svg-chart.ts'
import { growthSizes, targets } from './targets.ts'

/** Text of a section that has no figures yet. */
export const notMeasured = '_Not measured yet._'

export const subjectTitles: Readonly<Record<string, string>> = {
  'millrace-sqlite': 'Millrace, SQLite',
  'millrace-postgres': 'Millrace, PostgreSQL',
  'millrace-postgres-2': 'Millrace, PostgreSQL, 2 processes',
  'millrace-postgres-limited': 'one server',
  'millrace-postgres-limited-replicas': 'two servers',
  'millrace-postgres-limited-processes': 'one command with two processes',
  'before-sqlite': 'version before, SQLite',
  'before-postgres': 'version before, PostgreSQL',
  prototype: 'bare prototype',
  'reference-sqlite': 'reference, SQLite',
  'reference-postgres': 'reference, PostgreSQL',
}

export function formatFigure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}

/** Marks figures of a busy machine. */
const busyMark = ' ⚠'

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), `|${header.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join('\n')
}

/** Asked and measured. */
export function targetTable(results: Results): string {
  const rows = targets.map((target) => {
    const answer = target.measure(results)
    const mark = answer === undefined ? '' : answer.isMet ? 'yes' : 'no'
    return [target.name, target.goal, answer ? `${answer.text}${answer.isBusy ? busyMark : ''}` : '–', mark]
  })
  return markdownTable(['figure', 'asked', 'measured', 'met'], rows)
}

/** Date, machine and versions of each section. */
export function machineTable({ sections }: Results): string {
  const rows = sectionNames.flatMap((name) => {
    const section = sections[name]
    if (!section) return []
    const { machine, versions, repeats, seconds } = section
    const parts = Object.entries(versions).map(([part, version]) => `${part} ${version}`)
    const figures = Object.values(section.subjects).flatMap((each) => Object.values(each))
    const busy = figures.length === 0 ? 0 : figures.filter(({ is_busy }) => is_busy).length / figures.length
    const length = name === 'memory' ? '' : `${repeats} × ${seconds} s`
    const described = `${machine.cores} cores, ${machine.memory_gb} GB, ${machine.processor}, ${machine.kernel}, Node ${machine.node}`
    return [[name, section.measured.slice(0, 10), described, parts.join(', '), length, `${Math.round(busy * 100)} %`]]
  })
  return rows.length === 0 ? notMeasured : markdownTable(['section', 'date', 'machine', 'versions', 'each workload', 'marked busy'], rows)
}

/** Rates of all subjects of a section. Subjects after the first also show how many times the base it is. */
export function rateTable(section: Section | undefined, subjects: readonly string[]): string {
  const measured = subjects.filter((name) => section?.subjects[name])
  const keys = [...new Set(measured.flatMap((name) => Object.keys(section?.subjects[name] ?? {})))].toSorted(byWorkload(section, measured))
  if (!section || keys.length === 0) return notMeasured
  const rows = keys.map((key) => {
    const figures = measured.map((name) => section.subjects[name]?.[key])
    const unit = figures.find((figure) => figure)?.unit ?? ''
    return [key.replace('@', ', '), unit, ...figures.map((figure) => rateCell(figure))]
  })
  return markdownTable(['workload, users', 'unit', ...measured.map((name) => `${subjectTitles[name] ?? name}: per second`)], rows)
}

/** In the order of the first subject that has both. */
const byWorkload = (section: Section | undefined, subjects: readonly string[]) => {
  const order = [...new Set(subjects.flatMap((name) => Object.keys(section?.subjects[name] ?? {}).map(workloadOf)))]
  return (a: string, b: string) => order.indexOf(workloadOf(a)) - order.indexOf(workloadOf(b)) || Number(a.split('@')[1]) - Number(b.split('@')[1])
}

function rateCell(figure: Figure | undefined): string {
  if (!figure) return '–'
  if (figure.failure !== undefined) return 'failed'
  const stored = figure.stored_per_second === undefined ? '' : ` (stored ${formatFigure(figure.stored_per_second)})`
  const errors = figure.errors > 0 ? `, ${figure.errors} errors` : ''
  return `${formatFigure(figure.per_second)}${stored}${errors}${figure.is_busy ? busyMark : ''}`
}

/** Latency, CPU and memory of one subject. */
export function detailTable(figures: Figures | undefined): string {
  if (!figures) return notMeasured
  const groups = [...new Set(Object.values(figures).flatMap(({ cpu_ms = {} }) => Object.keys(cpu_ms)))]
  const rows = Object.entries(figures).map(([key, figure]) => [
    key.replace('@', ', '),
    `${formatFigure(figure.per_second)}${figure.is_busy ? busyMark : ''}`,
    formatFigure(figure.p50_ms),
    formatFigure(figure.p95_ms),
    formatFigure(figure.p99_ms),
    ...groups.map((group) => formatFigure(figure.cpu_ms?.[group])),
    String(figure.errors),
  ])
  const cpu = groups.map((group) => `CPU ms, ${group}`)
  return markdownTable(['workload, users', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', ...cpu, 'errors'], rows)
}

/** Ratio of Millrace to the reference, on each database. */
export function referenceTable({ sections }: Results): string {
  const subjects = sections.reference?.subjects ?? {}
  const databases = ['sqlite', 'postgres'].filter((database) => subjects[`reference-${database}`] && subjects[`millrace-${database}`])
  if (databases.length === 0) return notMeasured
  const keys = [...new Set(databases.flatMap((database) => Object.keys(subjects[`millrace-${database}`] ?? {})))]
  const rows = keys.map((key) => [
    key.replace('@', ', '),
    ...databases.flatMap((database) => {
      const [ours, theirs] = [subjects[`millrace-${database}`]?.[key], subjects[`reference-${database}`]?.[key]]
      const ratio = ours && theirs && theirs.per_second > 0 ? `${formatFigure(ours.per_second / theirs.per_second)} ×` : '–'
      return [rateCell(ours), rateCell(theirs), ratio]
    }),
  ])
  return markdownTable(['workload, users', ...databases.flatMap((database) => [`Millrace, ${database}`, `reference, ${database}`, 'ratio'])], rows)
}

/** Two versions of Millrace, and the prototype, which were measured in turn. */
export function versionsTable({ sections }: Results): string {
  const subjects = sections.versions?.subjects ?? {}
  const rows = ['sqlite', 'postgres'].flatMap((database) =>
    Object.entries(subjects[`millrace-${database}`] ?? {}).flatMap(([key, now]) => {
      const before = subjects[`before-${database}`]?.[key]
      if (!before) return []
      const [rate, cpu] = [now.per_second / before.per_second, totalCpuMs(now) / totalCpuMs(before)]
      const cells = [rateCell(before), rateCell(now), `${formatFigure(rate)} ×`, formatFigure(totalCpuMs(before)), formatFigure(totalCpuMs(now))]
      const latencies = [formatFigure(before.p50_ms), formatFigure(now.p50_ms)]
      return [
        [
          `${key.replace('@', ', ')} on ${database}`,
          ...cells,
          `${formatFigure(cpu)} ×`,
          ...latencies,
          database === 'sqlite' ? rateCell(subjects.prototype?.[key]) : '–',
        ],
      ]
    }),
  )
  if (rows.length === 0) return notMeasured
  const header = [
    'workload, users',
    'before: per second',
    'now',
    'rate',
    'before: CPU ms',
    'now',
    'CPU',
    'before: p50 ms',
    'now',
    'prototype: per second',
  ]
  return markdownTable(header, rows)
}

/** CPU per operation at each size, and the ratio of the largest to the smallest. */
export function growthTable(results: Results, database: string): string {
  const sizes = growthSizes(results, database)
  const figuresOf = (size: number | undefined) => results.sections.growth?.subjects[`millrace-${database}:${size}`] ?? {}
  const keys = Object.keys(figuresOf(sizes.at(-1)))
  if (keys.length === 0) return notMeasured
  const rows = keys.map((key) => {
    const figures = sizes.map((size) => figuresOf(size)[key])
    const costs = figures.map((figure) => (figure && figure.failure === undefined ? totalCpuMs(figure) : undefined))
    const [first, last] = [costs[0], costs.at(-1)]
    const ratio = first && last !== undefined && sizes.length > 1 ? `${formatFigure(last / first)} ×` : '–'
    const cells = figures.map((figure, index) =>
      figure ? `${formatFigure(costs[index])} / ${formatFigure(figure.p50_ms)} / ${formatFigure(figure.p99_ms)}` : '–',
    )
    return [key.replace('@', ', '), ...cells, ratio]
  })
  return markdownTable(['workload, users', ...sizes.map((size) => `${shortNumber(size)} runs`), 'CPU ratio'], rows)
}

export function memoryTable({ sections }: Results): string {
  const courses = Object.entries(sections.memory?.memory ?? {})
  if (courses.length === 0) return notMeasured
  const rows = courses.map(([name, { samples, runs, disk_mb, seeded }]) => {
    const of = (phase: string) => samples.filter((sample) => sample.phase === phase)
    const seededCell = seeded ? `${formatFigure(seeded.disk_mb)} MB, ${formatFigure(seeded.runs)} runs` : '–'
    const load = of('load')
    const minutes = ((load.at(-1)?.seconds ?? 0) - (load[0]?.seconds ?? 0)) / 60
    const highest = Math.max(...load.map(({ rss_mb }) => rss_mb))
    const cells = [of('idle').at(-1)?.rss_mb, load[Math.floor(load.length / 4)]?.rss_mb, load.at(-1)?.rss_mb, highest, of('after').at(-1)?.rss_mb]
    return [
      subjectTitles[name] ?? name,
      formatFigure(minutes),
      ...cells.map((cell) => formatFigure(cell)),
      formatFigure(runs),
      formatFigure(disk_mb),
      seededCell,
    ]
  })
  return markdownTable(
    ['server', 'minutes of load', 'idle MB', 'first quarter', 'at the end', 'highest', 'after', 'runs', 'database MB', 'seeded runs only'],
    rows,
  )
}

// The capacity page.

export function costTable(results: Results): string {
  const rows = (['sqlite', 'postgres'] as const).flatMap((database) =>
    ['lifecycle', 'one_task_run'].flatMap((workload) => {
      const curve = curveOf(results, database, workload)
      if (!curve) return []
      return curve.costs.map((cost) => [
        `${workload} on ${database}`,
        String(cost.users),
        formatFigure(cost.server),
        formatFigure(cost.database),
        formatFigure(cost.client),
        formatFigure(cost.commits || null),
        cost === curve.costs.at(-1) ? formatFigure(curve.walBytes || null) : '',
      ])
    }),
  )
  if (rows.length === 0) return notMeasured
  return markdownTable(['operation', 'users', 'server ms', 'database ms', 'client ms', 'transactions', 'log bytes'], rows)
}

export function modelTable(results: Results): string {
  const rows = modelPoints(results).map(({ section, workload, users, processes, measured, predicted, deviation, isBusy }) => [
    `${workload} on ${section}`,
    String(users),
    String(processes),
    `${formatFigure(measured)}${isBusy ? busyMark : ''}`,
    formatFigure(predicted),
    `${deviation > 0 ? '+' : ''}${Math.round(deviation * 100)} %`,
  ])
  return rows.length === 0 ? notMeasured : markdownTable(['operation', 'users', 'processes', 'measured', 'model', 'deviation'], rows)
}

/** Assumptions of the capacity table about the database's machine. */
export const assumedDisk = { diskMbPerSecond: 200, lockMs: 0.5 }

const deployments: readonly Pick<Deployment, 'replicas' | 'databaseCores'>[] = [
  { replicas: 1, databaseCores: 2 },
  { replicas: 2, databaseCores: 2 },
  { replicas: 2, databaseCores: 4 },
  { replicas: 4, databaseCores: 4 },
  { replicas: 4, databaseCores: 8 },
  { replicas: 8, databaseCores: 16 },
  { replicas: 16, databaseCores: 32 },
]

export function capacityTable(results: Results, workload: string): string {
  const curve = curveOf(results, 'postgres', workload)
  if (!curve) return notMeasured
  const rows = deployments.map((deployment) => {
    const { perSecond, perDay, limit, limits } = deploymentCapacity(curve, { ...deployment, ...assumedDisk })
    const cells = (Object.keys(limitNames) as (keyof typeof limits)[]).map((name) => formatFigure(limits[name]))
    return [String(deployment.replicas), String(deployment.databaseCores), formatFigure(perSecond), shortNumber(perDay), limitNames[limit], ...cells]
  })
  const limitTitles = Object.values(limitNames).map((name) => `limit: ${name}`)
  return markdownTable(['replicas', 'database cores', 'per second', 'per day', 'limited by', ...limitTitles], rows)
}

function curveOf({ sections }: Results, database: 'sqlite' | 'postgres', workload: string): CostCurve | undefined {
  const section = sections[database]
  const [alone, pair] = [section?.subjects[`millrace-${database}`], section?.subjects[`millrace-${database}-2`]]
  return section && alone && costCurve(alone, workload, section.machine.cores, pair)
}

/** Costs with many users, as a sentence for the text of the page. */
export function costSentence(results: Results, workload: string): string {
  const curve = curveOf(results, 'postgres', workload)
  if (!curve) return notMeasured
  const { server, database, commits } = costAt(curve, Number.POSITIVE_INFINITY)
  return `${formatFigure(server)} ms of CPU in the server, ${formatFigure(database)} ms in the database, ${formatFigure(curve.walBytes / 1000)} kB of log and ${formatFigure(commits)} transactions`
}

/** How much more an operation costs on one of several servers, as a part of a sentence. */
export function shareSentence(results: Results, workload: string): string {
  const curve = curveOf(results, 'postgres', workload)
  if (!curve) return notMeasured
  const { server, database, commits } = curve.shareFactors
  return `${formatFigure(server)} times the CPU in the server, ${formatFigure(database)} times that in the database and ${formatFigure(commits)} times the transactions`
}
