import {
  capacityTable,
  costSentence,
  costTable,
  detailTable,
  growthTable,
  machineTable,
  markdownTable,
  memoryTable,
  modelTable,
  notMeasured,
  rateTable,
  referenceTable,
  shareSentence,
  subjectTitles,
  targetTable,
  versionsTable,
} from './page-tables.ts'
import { type Figure, type Results, totalCpuMs, workloadOf } from './results.ts'
import { type BarGroup, drawBars, drawLines } from './svg-chart.ts'
import { growthSizes } from './targets.ts'

const folder = 'docs/benchmarks'

/** Generated files by their paths: the pages, from their templates, and the plots. */
export function benchmarkFiles(results: Results, templates: { readonly benchmarks: string; readonly capacity: string }): Record<string, string> {
  const plots = drawPlots(results)
  const parts: Readonly<Record<string, () => string>> = {
    ...Object.fromEntries(
      plotNames.map((name) => [`plot:${name}`, () => (plots[name] ? `![${plotTitles[name]}](benchmarks/${name}.svg)` : notMeasured)]),
    ),
    notice: () =>
      results.is_provisional
        ? '> **Provisional figures.** The sections were measured at different times, some on a busy machine while the code was changing. Each tells its date and length. Compare figures within a section only.'
        : '',
    targets: () => targetTable(results),
    machine: () => machineTable(results),
    clients: () => rateTable(results.sections.clients, ['millrace-sqlite', 'millrace-postgres', 'millrace-postgres-2', 'reference-postgres']),
    'clients-detail': () => detailTable(results.sections.clients?.subjects['millrace-postgres']),
    reference: () => referenceTable(results),
    sqlite: () => rateTable(results.sections.sqlite, ['millrace-sqlite', 'prototype']),
    'sqlite-detail': () => detailTable(results.sections.sqlite?.subjects['millrace-sqlite']),
    postgres: () => rateTable(results.sections.postgres, ['millrace-postgres', 'millrace-postgres-2', 'prototype']),
    'postgres-detail': () => detailTable(results.sections.postgres?.subjects['millrace-postgres']),
    processes: () =>
      rateTable(results.sections.processes, [
        'millrace-postgres-limited',
        'millrace-postgres-limited-replicas',
        'millrace-postgres-limited-processes',
      ]),
    versions: () => versionsTable(results),
    sockets: () => socketTable(results),
    'growth-sqlite': () => growthTable(results, 'sqlite'),
    'growth-postgres': () => growthTable(results, 'postgres'),
    memory: () => memoryTable(results),
    costs: () => costTable(results),
    model: () => modelTable(results),
    'capacity-lifecycle': () => capacityTable(results, 'lifecycle'),
    'capacity-one-task': () => capacityTable(results, 'one_task_run'),
    'cost-lifecycle': () => costSentence(results, 'lifecycle'),
    'cost-one-task': () => costSentence(results, 'one_task_run'),
    'share-lifecycle': () => shareSentence(results, 'lifecycle'),
    'share-one-task': () => shareSentence(results, 'one_task_run'),
  }
  return {
    'docs/benchmarks.md': fillTemplate(templates.benchmarks, parts),
    'docs/capacity.md': fillTemplate(templates.capacity, parts),
    ...Object.fromEntries(Object.entries(plots).map(([name, text]) => [`${folder}/${name}.svg`, text])),
  }
}

/** Replaces `{{name}}`. An empty part also removes its line. */
export function fillTemplate(template: string, parts: Readonly<Record<string, () => string>>): string {
  return template
    .replaceAll(/\{\{([\w:-]+)\}\}/g, (_, name: string) => {
      const part = parts[name]
      if (!part) throw new RangeError(`The template names an unknown part: ${name}`)
      return part()
    })
    .replaceAll(/\n{3,}/g, '\n\n')
}

const plotNames = ['ratios', 'latency', 'growth-sqlite', 'growth-postgres', 'memory'] as const
type PlotName = (typeof plotNames)[number]

const plotTitles: Readonly<Record<PlotName, string>> = {
  ratios: 'Rates of Millrace relative to the reference',
  latency: 'Latency of Millrace',
  'growth-sqlite': 'CPU per request and size of the database, SQLite',
  'growth-postgres': 'CPU per request and size of the database, PostgreSQL',
  memory: 'Memory of the server over time',
}

function drawPlots(results: Results): Partial<Record<PlotName, string>> {
  const plots: Partial<Record<PlotName, string | undefined>> = {
    ratios: drawRatios(results),
    latency: drawLatency(results),
    'growth-sqlite': drawGrowth(results, 'sqlite'),
    'growth-postgres': drawGrowth(results, 'postgres'),
    memory: drawMemory(results),
  }
  return Object.fromEntries(Object.entries(plots).filter(([, text]) => text !== undefined))
}

const databaseTitles = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
const databases = ['sqlite', 'postgres'] as const

function drawRatios({ sections }: Results): string | undefined {
  const subjects = sections.reference?.subjects ?? {}
  const measured = databases.filter((database) => subjects[`reference-${database}`] && subjects[`millrace-${database}`])
  const keys = [...new Set(measured.flatMap((database) => Object.keys(subjects[`reference-${database}`] ?? {})))]
  if (keys.length === 0) return undefined
  const ratio = (ours: Figure | undefined, theirs: Figure | undefined) =>
    ours && theirs && theirs.per_second > 0 ? ours.per_second / theirs.per_second : undefined
  return drawBars({
    title: plotTitles.ratios,
    unit: 'times the rate of the reference on the same database; logarithmic',
    series: measured.map((database) => databaseTitles[database]),
    groups: keys.map((key) => ({
      label: workloadOf(key),
      values: measured.map((database) => ratio(subjects[`millrace-${database}`]?.[key], subjects[`reference-${database}`]?.[key])),
    })),
    isLogarithmic: true,
  })
}

const latencyWorkloads = [
  'lifecycle',
  'one_task_run',
  'tasks',
  'filter.latest',
  'paginate_count.flow_runs_first',
  'history.week_1h',
  'poll.idle',
  'graph.v2',
]

function drawLatency({ sections }: Results): string | undefined {
  const series = databases.flatMap((database) => {
    const figures = sections[database]?.subjects[`millrace-${database}`]
    return figures
      ? (['p50_ms', 'p99_ms'] as const).map((field) => ({ name: `${databaseTitles[database]}, ${field.slice(0, 3)}`, figures, field }))
      : []
  })
  const groups = latencyWorkloads.map(
    (label): BarGroup => ({ label, values: series.map(({ figures, field }) => figures[`${label}@16`]?.[field] ?? undefined) }),
  )
  const shown = groups.filter(({ values }) => values.some((value) => value !== undefined))
  if (shown.length === 0) return undefined
  const names = series.map(({ name }) => name)
  return drawBars({
    title: plotTitles.latency,
    unit: 'milliseconds of one operation with 16 users; logarithmic',
    series: names,
    groups: shown,
    isLogarithmic: true,
  })
}

const growthWorkloads = [
  'filter.latest',
  'filter.state',
  'filter.tags',
  'filter.name_rare',
  'filter.name_absent',
  'paginate_count.flow_runs_first',
  'paginate_count.count_all',
  'history.week_1h',
  'poll.due',
  'events.filter',
]

function drawGrowth(results: Results, database: 'sqlite' | 'postgres'): string | undefined {
  const sizes = growthSizes(results, database)
  if (sizes.length < 2) return undefined
  const figureOf = (size: number, workload: string) =>
    Object.entries(results.sections.growth?.subjects[`millrace-${database}:${size}`] ?? {}).find(([key]) => workloadOf(key) === workload)?.[1]
  const series = growthWorkloads.map((name) => ({
    name,
    points: sizes.flatMap((size): [number, number][] => {
      const figure = figureOf(size, name)
      return figure && figure.failure === undefined ? [[size, totalCpuMs(figure)]] : []
    }),
  }))
  const shown = series.filter(({ points }) => points.length > 1)
  if (shown.length === 0) return undefined
  const axes = { xLabel: 'flow runs in the database', yLabel: 'CPU milliseconds per request, server and database' }
  return drawLines({ title: plotTitles[`growth-${database}`], ...axes, series: shown, isXLogarithmic: true, isYLogarithmic: true })
}

function drawMemory({ sections }: Results): string | undefined {
  const courses = Object.entries(sections.memory?.memory ?? {})
  if (courses.length === 0) return undefined
  return drawLines({
    title: plotTitles.memory,
    xLabel: 'minutes; idle, then load, then idle again',
    yLabel: 'resident memory of the server, MB',
    series: courses.map(([name, { samples }]) => ({
      name: subjectTitles[name] ?? name,
      points: samples.map(({ seconds, rss_mb }): [number, number] => [seconds / 60, rss_mb]),
    })),
  })
}

/** Subscribers, reactions and schedules. */
function socketTable({ sections }: Results): string {
  const subjects = Object.entries(sections.sockets?.subjects ?? {})
  const keys = [...new Set(subjects.flatMap(([, figures]) => Object.keys(figures)))]
  if (keys.length === 0) return notMeasured
  const cell = (figure: Figure | undefined): string => {
    if (!figure) return '–'
    if (figure.failure !== undefined) return 'failed'
    const rate = `${Math.round(figure.per_second).toLocaleString('en')}/s`
    return `${figure.p50_ms === null ? rate : `${rate}, p50 ${figure.p50_ms} ms, p99 ${figure.p99_ms} ms`}${figure.is_busy ? ' ⚠' : ''}`
  }
  return markdownTable(
    ['measurement', ...subjects.map(([name]) => subjectTitles[name] ?? name)],
    keys.map((key) => [workloadOf(key), ...subjects.map(([, figures]) => cell(figures[key]))]),
  )
}
