import { checkedWorkloads, compareRatios, comparisonTable, type RatioComparison, type Round } from '../../packages/bench/src/regression.ts'
import type { BenchHost } from './host.ts'
import { type MeasureOptions, measureSubjects } from './measure-subjects.ts'
import type { BenchSettings } from './options.ts'
import { readResults } from './results-file.ts'
import type { SubjectName } from './subjects.ts'

type CheckOptions = Omit<MeasureOptions, 'label'>

/** A slower result is measured again this often before it counts: one round on a busy machine proves little. */
const extraRounds = 4

/** Compares Millrace with the committed figures, by ratio to the prototype. Returns whether no workload got slower. */
export async function checkForRegression(host: BenchHost, settings: BenchSettings, options: CheckOptions): Promise<boolean> {
  const { sections } = readResults()
  const committed = settings.databases.flatMap((database) => {
    const subjects = sections[database as 'sqlite' | 'postgres']?.subjects
    const [subject, prototype] = [subjects?.[`millrace-${database}`], subjects?.prototype]
    return subject && prototype ? [{ database, round: { subject, prototype } }] : []
  })
  if (committed.length === 0) {
    options.log('There are no committed figures to compare with. Measure them with `npm run bench -- --full --write`.')
    return false
  }
  let isFast = true
  for (const { database, round } of committed) {
    const comparisons = await compareUntilSure(host, `millrace-${database}` as SubjectName, round, settings, options)
    options.log(`\n${database}: rates relative to the prototype\n\n${comparisonTable(comparisons)}`)
    if (comparisons.some(({ isSlower }) => isSlower)) isFast = false
  }
  return isFast
}

async function compareUntilSure(
  host: BenchHost,
  name: SubjectName,
  committed: Round,
  settings: BenchSettings,
  options: CheckOptions,
): Promise<RatioComparison[]> {
  const rounds: Round[] = []
  const plan = [{ users: settings.users, only: settings.only.length > 0 ? settings.only : checkedWorkloads }]
  for (;;) {
    const figures = await measureSubjects(host, { [name]: plan, prototype: plan }, { ...options, label: 'check', repeats: 1 })
    rounds.push({ subject: figures[name] ?? {}, prototype: figures.prototype ?? {} })
    const comparisons = compareRatios(committed, rounds, settings.tolerance)
    const slower = comparisons.filter(({ isSlower }) => isSlower)
    if (rounds.length > extraRounds || (slower.length === 0 && rounds.length >= settings.repeats)) return comparisons
    if (slower.length > 0) options.log(`\n${slower.map(({ key }) => key).join(', ')}: slower than committed; measuring again`)
  }
}
