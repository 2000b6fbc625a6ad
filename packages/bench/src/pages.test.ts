import { expect, test } from 'vitest'
import { capacityTable, growthTable, markdownTable, memoryTable, referenceTable, targetTable, versionsTable } from './page-tables.ts'
import { benchmarkFiles, fillTemplate } from './pages.ts'
import type { Figure, Figures, Results, Section } from './results.ts'

const figure = (per_second: number, more: Partial<Figure> = {}): Figure => ({
  unit: 'runs',
  users: 16,
  per_second,
  p50_ms: 10,
  p95_ms: 20,
  p99_ms: 30,
  errors: 0,
  cpu_ms: { server: 0.9 },
  client_cores: 0.5,
  repeats: 3,
  ...more,
})
const section = (subjects: Record<string, Figures>, more: Partial<Section> = {}): Section => ({
  measured: '2030-01-02T03:04:05Z',
  machine: { cores: 2, processor: 'Test', memory_gb: 8, kernel: 'linux 6.1.0', node: '24.0.0' },
  versions: { millrace: '1.2.3' },
  seconds: 5,
  repeats: 3,
  subjects,
  ...more,
})
const lines = (text: string): string[] => text.split('\n')

const results: Results = {
  format: 1,
  sections: {
    sqlite: section({ 'millrace-sqlite': { 'lifecycle@16': figure(1200) }, prototype: { 'lifecycle@16': figure(2400) } }),
    reference: section({
      'millrace-postgres': { 'lifecycle@16': figure(800), 'tasks@16': figure(100, { is_busy: true }) },
      'reference-postgres': { 'lifecycle@16': figure(16), 'tasks@16': figure(10, { errors: 3 }) },
    }),
    versions: section({
      'before-sqlite': { 'lifecycle@16': figure(400, { cpu_ms: { server: 1.8 } }) },
      'millrace-sqlite': { 'lifecycle@16': figure(800, { p50_ms: 5 }), 'tasks@16': figure(900) },
      prototype: { 'lifecycle@16': figure(1600) },
      'before-postgres': { 'lifecycle@16': figure(100, { cpu_ms: { server: 1, database: 2 } }) },
      'millrace-postgres': { 'lifecycle@16': figure(250, { cpu_ms: { server: 0.5, database: 1 } }) },
    }),
    growth: section({
      'millrace-sqlite:1000': {
        'filter.latest@4': figure(100, { cpu_ms: { server: 2 } }),
        'history.week_1h@4': figure(50, { cpu_ms: { server: 1 } }),
      },
      'millrace-sqlite:1000000': {
        'filter.latest@4': figure(90, { cpu_ms: { server: 3 } }),
        'history.week_1h@4': figure(10, { cpu_ms: { server: 6 } }),
      },
    }),
    memory: section(
      {},
      {
        memory: {
          'millrace-sqlite': {
            samples: [
              { seconds: 0, rss_mb: 90, phase: 'idle' },
              { seconds: 60, rss_mb: 240, phase: 'load' },
              { seconds: 120, rss_mb: 260, phase: 'load' },
              { seconds: 180, rss_mb: 200, phase: 'after' },
            ],
            runs: 50_000,
            disk_mb: 250,
            seeded: { runs: 100_000, disk_mb: 500 },
          },
        },
      },
    ),
  },
}

test('compares figures with what was asked', () => {
  const rows = lines(targetTable(results))
  const row = (name: string) => rows.find((line) => line.startsWith(`| ${name} |`))
  expect(row('SQLite: lifecycle, 16 users')).toMatch(/\| 1,200\/s; the prototype is 2 × as fast \| yes \|$/)
  expect(row('SQLite: CPU per lifecycle')).toMatch(/\| 0\.9 ms \| yes \|$/)
  expect(row('PostgreSQL: lifecycle')).toMatch(/\| 50 × \(800 \/ 16 per second\) \| yes \|$/)
  expect(row('PostgreSQL: tasks')).toMatch(/\| 10 × \(100 \/ 10 per second\) ⚠ \| no \|$/)
  expect(row('Growth on sqlite: reads')).toMatch(/\| 1\.5 × at 1M runs \(filter\.latest\) \| yes \|$/)
  expect(row('Growth on sqlite: history')).toMatch(/\| 6 × at 1M runs \(history\.week_1h\) \| no \|$/)
  expect(row('Memory on SQLite, under load')).toMatch(/\| 260 MB at most \| no \|$/)
  expect(row('Disk on SQLite')).toMatch(/\| 500 MB \(500 MB with 100,000 runs\) \| yes \|$/)
  expect(row('Growth on postgres: reads')).toMatch(/\| – \| {2}\|$/)
})

test('shows ratios to the reference, errors and disturbed figures', () => {
  expect(lines(referenceTable(results)).slice(2)).toEqual(['| lifecycle, 16 | 800 | 16 | 50 × |', '| tasks, 16 | 100 ⚠ | 10, 3 errors | 10 × |'])
})

test('shows two versions that were measured in turn', () => {
  expect(lines(versionsTable(results)).slice(2)).toEqual([
    '| lifecycle, 16 on sqlite | 400 | 800 | 2 × | 1.8 | 0.9 | 0.5 × | 10 | 5 | 1,600 |',
    '| lifecycle, 16 on postgres | 100 | 250 | 2.5 × | 3 | 1.5 | 0.5 × | 10 | 10 | – |',
  ])
})

test('shows the growth and the memory', () => {
  expect(lines(growthTable(results, 'sqlite'))[2]).toBe('| filter.latest, 4 | 2 / 10 / 30 | 3 / 10 / 30 | 1.5 × |')
  expect(lines(memoryTable(results))[2]).toBe('| Millrace, SQLite | 1 | 90 | 240 | 260 | 260 | 200 | 50,000 | 250 | 500 MB, 100,000 runs |')
})

test('says what is not measured yet', () => {
  const empty: Results = { format: 1, sections: {} }
  expect(capacityTable(empty, 'lifecycle')).toBe('_Not measured yet._')
  const files = benchmarkFiles(empty, { benchmarks: '{{sqlite}}\n{{plot:memory}}', capacity: '{{model}}' })
  expect(files).toEqual({ 'docs/benchmarks.md': '_Not measured yet._\n_Not measured yet._', 'docs/capacity.md': '_Not measured yet._' })
})

test('writes the pages with their plots', () => {
  const files = benchmarkFiles(results, { benchmarks: '# A\n\n{{notice}}\n\n{{plot:growth-sqlite}}', capacity: '' })
  expect(Object.keys(files)).toEqual([
    'docs/benchmarks.md',
    'docs/capacity.md',
    'docs/benchmarks/ratios.svg',
    'docs/benchmarks/latency.svg',
    'docs/benchmarks/growth-sqlite.svg',
    'docs/benchmarks/memory.svg',
  ])
  expect(files['docs/benchmarks.md']).toBe('# A\n\n![CPU per request and size of the database, SQLite](benchmarks/growth-sqlite.svg)')
  expect(benchmarkFiles({ ...results, is_provisional: true }, { benchmarks: '{{notice}}', capacity: '' })['docs/benchmarks.md']).toContain(
    'Provisional',
  )
})

test('rejects a template with an unknown part', () => {
  expect(() => fillTemplate('{{nothing}}', {})).toThrow('The template names an unknown part: nothing')
})

test('aligns numbers to the right', () => {
  expect(markdownTable(['a', 'b'], [['x', '1']])).toBe('| a | b |\n|---|--:|\n| x | 1 |')
})
