import { type Figures, median } from './results.ts'

/** Workloads of the regression check; the prototype answers all of them. */
export const checkedWorkloads = ['lifecycle', 'one_task_run', 'tasks', 'filter.latest', 'paginate_count.flow_runs_first'] as const

export const toleranceDefault = 0.15

export interface RatioComparison {
  readonly key: string
  /** Rate divided by the rate of the prototype, in the committed result. */
  readonly before: number
  /** The same, the median of the rounds of this run. */
  readonly now: number
  /** Negative: slower. */
  readonly change: number
  readonly isSlower: boolean
}

/** Figures of both servers, measured one after the other. */
export interface Round {
  readonly subject: Figures
  readonly prototype: Figures
}

/** The rate of the subject relative to the prototype. Undefined if either was not measured, or gave wrong answers. */
export function ratioOf({ subject, prototype }: Round, key: string): number | undefined {
  const [ours, limit] = [subject[key], prototype[key]]
  if (!ours || !limit || ours.failure !== undefined || limit.per_second === 0) return undefined
  return ours.per_second / limit.per_second
}

/**
 * Compares ratios to the prototype instead of rates: a slow or busy machine slows both. A workload that the committed result lacks is left out. One that
 * failed in this run counts as infinitely slow.
 */
export function compareRatios(committed: Round, rounds: readonly Round[], tolerance = toleranceDefault): RatioComparison[] {
  const keys = Object.keys(committed.subject).filter((key) => ratioOf(committed, key) !== undefined)
  const measured = keys.filter((key) => rounds.some(({ prototype }) => prototype[key] !== undefined))
  return measured.map((key) => {
    const before = ratioOf(committed, key) as number
    const ratios = rounds.map((each) => ratioOf(each, key) ?? 0)
    const now = median(ratios)
    const change = now / before - 1
    return { key, before, now, change, isSlower: change < -tolerance }
  })
}

/** A Markdown table, slower workloads first. */
export function comparisonTable(comparisons: readonly RatioComparison[]): string {
  const rows = comparisons
    .toSorted((a, b) => a.change - b.change)
    .map(
      ({ key, before, now, change, isSlower }) =>
        `| ${key} | ${before.toFixed(3)} | ${now.toFixed(3)} | ${change > 0 ? '+' : ''}${(change * 100).toFixed(0)} % | ${isSlower ? 'slower' : 'ok'} |`,
    )
  return ['| workload@users | committed ratio | ratio now | change | |', '|---|--:|--:|--:|---|', ...rows].join('\n')
}
