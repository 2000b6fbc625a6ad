import type { Figures } from '../../packages/bench/src/results.ts'
import type { BenchHost } from './host.ts'
import { measureSideBySide } from './in-turn.ts'
import type { MeasureOptions, Plan } from './measure-subjects.ts'
import type { BenchSettings } from './options.ts'
import type { SubjectName } from './subjects.ts'

const comparedWorkloads = ['client.run', 'client.worker_run', 'lifecycle', 'one_task_run']

/** Measures another checkout and this one side by side, on SQLite with the prototype as a third. */
export async function measureVersions(
  host: BenchHost,
  { databases, only, users }: BenchSettings,
  options: MeasureOptions,
  onFigures: (label: string, figures: Figures) => Promise<void>,
): Promise<void> {
  const names = only.length > 0 ? only : comparedWorkloads
  const plans: Plan[] = [...new Set([users, 1])].map((count) => ({ users: count, only: names }))
  for (const database of databases) {
    const compared = [`before-${database}`, `millrace-${database}`, ...(database === 'sqlite' ? ['prototype'] : [])] as SubjectName[]
    for (const [label, figures] of Object.entries(await measureSideBySide(host, compared, plans, options))) await onFigures(label, figures)
  }
}
