import { parseArgs } from 'node:util'
import { measurementNames, unknownNames } from '../../packages/bench/src/all-workloads.ts'
import { toleranceDefault } from '../../packages/bench/src/regression.ts'
import { type SectionName, sectionNames } from '../../packages/bench/src/results.ts'

export const help = `npm run bench -- [options]
Starts servers on this machine, one at a time, and measures what they take. A few minutes by default, some hours with --full.

  --full               all sections, long enough for published figures
  --section NAME       ${sectionNames.join(', ')}; repeatable (default: sqlite and postgres, with --full all)
  --only NAMES         workloads, or the part of their names before the dot; separated by commas
  --seconds N          time of each workload (default: 1.5, with --full 5)
  --users N            users of the workloads (default: 16)
  --repeats N          repetitions, of which the median counts (default: 1, with --full 3)
  --databases NAMES    sqlite, postgres or both, separated by commas (default: both)
  --reference PYTHON   Python of an environment with the reference, which is measured beside Millrace
  --before FOLDER      another checkout of Millrace, after npm ci, which is measured in turn with this one (section versions)
  --sizes LIST         flow runs of the section growth (default: 1000,10000, with --full 1000,10000,100000,1000000)
  --minutes N          load of the section memory (default: 0.5, with --full 60)
  --json FILE          write the figures to a file
  --write              write the figures into docs/benchmarks/results.json and update the pages
  --provisional        mark the written figures as provisional
  --check              compare with the committed figures, by ratio to the prototype; exit code 1 if Millrace got slower
  --tolerance N        largest accepted slowdown of --check in percent (default: ${toleranceDefault * 100})`

export interface BenchSettings {
  readonly sections: readonly SectionName[]
  readonly only: readonly string[]
  readonly seconds: number
  readonly users: number
  readonly repeats: number
  readonly databases: readonly string[]
  readonly reference: string | undefined
  readonly before: string | undefined
  readonly sizes: readonly number[]
  readonly minutes: number
  readonly json: string | undefined
  readonly isWritten: boolean
  readonly isProvisional: boolean
  readonly isCheck: boolean
  readonly tolerance: number
}

/** A mistake of the command line. */
export class OptionError extends Error {}

/** Sections of a single database. */
const onlyDatabase: Partial<Record<SectionName, string>> = { sqlite: 'sqlite', postgres: 'postgres', processes: 'postgres' }

/** Returns undefined for `--help`. */
export function readOptions(argv: readonly string[]): BenchSettings | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      full: { type: 'boolean', default: false },
      section: { type: 'string', multiple: true },
      only: { type: 'string' },
      seconds: { type: 'string' },
      users: { type: 'string', default: '16' },
      repeats: { type: 'string' },
      databases: { type: 'string', default: 'sqlite,postgres' },
      reference: { type: 'string' },
      before: { type: 'string' },
      sizes: { type: 'string' },
      minutes: { type: 'string' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      provisional: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      tolerance: { type: 'string', default: String(toleranceDefault * 100) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const databases = readNames(values.databases, '--databases', ['sqlite', 'postgres'])
  const canMeasure = (name: SectionName) =>
    (name !== 'reference' || values.reference !== undefined) && (name !== 'versions' || values.before !== undefined)
  const short = values.before === undefined ? databases : ['versions']
  const standard = values.full ? sectionNames.filter(canMeasure) : short
  const sections = readNames((values.section ?? standard).join(','), '--section', sectionNames) as SectionName[]
  if (sections.includes('reference') && values.reference === undefined) {
    throw new OptionError('--section reference needs --reference PYTHON, an environment with the package of the reference.')
  }
  if (sections.includes('versions') && values.before === undefined) {
    throw new OptionError('--section versions needs --before FOLDER, another checkout of Millrace.')
  }
  const only = values.only?.split(',').filter((name) => name !== '') ?? []
  const unknown = unknownNames(only)
  if (unknown.length > 0) throw new OptionError(`--only: "${unknown.join(', ')}" is unknown. There are ${measurementNames().join(', ')}.`)
  return {
    sections: sections.filter((name) => !(name in onlyDatabase) || databases.includes(onlyDatabase[name] as string)),
    only,
    seconds: readNumber(values.seconds ?? (values.full ? '5' : '1.5'), '--seconds'),
    users: readNumber(values.users, '--users'),
    repeats: readNumber(values.repeats ?? (values.full ? '3' : '1'), '--repeats'),
    databases,
    reference: values.reference,
    before: values.before,
    sizes: (values.sizes ?? (values.full ? '1000,10000,100000,1000000' : '1000,10000')).split(',').map((size) => readNumber(size, '--sizes')),
    minutes: readNumber(values.minutes ?? (values.full ? '60' : '0.5'), '--minutes'),
    json: values.json,
    isWritten: values.write,
    isProvisional: values.provisional,
    isCheck: values.check,
    tolerance: readNumber(values.tolerance, '--tolerance') / 100,
  }
}

function readNumber(text: string, option: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value)) throw new OptionError(`${option}: "${text}" is not a number above 0.`)
  return value
}

function readNames(text: string, option: string, known: readonly string[]): string[] {
  const names = text.split(',').filter((name) => name !== '')
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new OptionError(`${option}: "${unknown.join(', ')}" is unknown. There are ${known.join(', ')}.`)
  return names
}
