import { describeMachine } from '../../packages/bench/src/machine.ts'
import { checkedWorkloads } from '../../packages/bench/src/regression.ts'
import type { Figures, Section, SectionName } from '../../packages/bench/src/results.ts'
import { canLimitCpu } from './cpu-limit.ts'
import { measureGrowth } from './growth.ts'
import type { BenchHost } from './host.ts'
import { measureSideBySide } from './in-turn.ts'
import { type MeasureOptions, measureSubjects, type Plan } from './measure-subjects.ts'
import { measureMemory } from './memory.ts'
import type { BenchSettings } from './options.ts'
import type { SubjectName } from './subjects.ts'
import { measureVersions } from './versions.ts'

type Plans = Partial<Record<SubjectName, readonly Plan[]>>

/** The workloads whose dependence on the number of users is shown, and which the capacity model uses. */
const scaled = ['lifecycle', 'one_task_run']
const trials = ['sockets', 'automation', 'scheduler']
/** So many that two processes have large transactions too. With few users, one process alone has fewer and larger transactions, which cost less. */
const limitedUsers = 128
const limitedWorkloads = ['lifecycle', 'tasks']
/** A process that has used its share waits for the next one, so that short measurements vary. */
const limitedSecondsMin = 10
/** Served by the prototype. */
const limitWorkloads = ['health', ...checkedWorkloads]
/** What real clients send. */
const clientWorkloads = ['client.run', 'client.worker_run', 'client.polls']

/** Measures one section. `onPart` gets what is complete, so that an interrupted run loses little. */
export async function measureSection(
  name: SectionName,
  host: BenchHost,
  settings: BenchSettings,
  options: Omit<MeasureOptions, 'label'>,
  onPart: (section: Section) => void,
): Promise<Section> {
  const named = { ...options, label: name }
  const measured = new Date().toISOString()
  const build = async (part: Pick<Section, 'subjects' | 'memory'>): Promise<Section> => ({
    measured,
    machine: describeMachine(),
    versions: await host.versions(),
    seconds: options.seconds,
    repeats: options.repeats,
    ...part,
  })
  if (name === 'growth' || name === 'versions') {
    const subjects: Record<string, Figures> = {}
    const measureParts = name === 'growth' ? measureGrowth : measureVersions
    await measureParts(host, settings, named, async (label, figures) => {
      subjects[label] = figures
      onPart(await build({ subjects }))
    })
    return build({ subjects })
  }
  if (name === 'memory') return build({ subjects: {}, memory: await measureMemory(host, settings, named) })
  if (name === 'processes') return build({ subjects: await measureProcesses(host, settings, named) })
  return build({ subjects: await measureSubjects(host, plansOf(name, host, settings), named) })
}

/** One process and two, each with a share of a core. */
async function measureProcesses(host: BenchHost, { only }: BenchSettings, options: MeasureOptions): Promise<Record<string, Figures>> {
  const names = chosenOf(limitedWorkloads, only)
  if (names.length === 0 || !canLimitCpu()) return {}
  const subjects: SubjectName[] = ['millrace-postgres-limited', 'millrace-postgres-limited-replicas', 'millrace-postgres-limited-processes']
  return measureSideBySide(host, subjects, [{ users: limitedUsers, only: names, secondsMin: limitedSecondsMin }], options)
}

const chosenOf = (names: readonly string[], only: readonly string[]): string[] =>
  names.filter((each) => only.length === 0 || only.some((wanted) => each === wanted || each.startsWith(`${wanted}.`)))

function plansOf(name: SectionName, host: BenchHost, { users, only, databases }: BenchSettings): Plans {
  const all: Plan = only.length > 0 ? { users, only } : { users }
  const chosen = (names: readonly string[]) => chosenOf(names, only)
  const planOf = (count: number, names: readonly string[]): Plan[] => (chosen(names).length > 0 ? [{ users: count, only: chosen(names) }] : [])
  const steps = [1, 4, 64].filter((count) => count !== users)
  const millrace: Plan[] = [...steps.flatMap((count) => planOf(count, scaled)), all]
  const limit = chosen(limitWorkloads)
  const prototype: Plans = limit.length > 0 ? { prototype: [{ users, only: limit }] } : {}
  if (name === 'sqlite') return { 'millrace-sqlite': millrace, ...prototype }
  if (name === 'postgres') {
    const two = planOf(users, [...scaled, 'tasks', 'filter.latest'])
    return {
      'millrace-postgres': millrace,
      ...(two.length > 0 && { 'millrace-postgres-2': two }),
      ...prototype,
    }
  }
  const measuredOn = (plans: readonly Plan[]): Plans =>
    Object.fromEntries(
      (host.hasReference ? ['reference', 'millrace'] : ['millrace']).flatMap((server) =>
        databases.map((database) => [`${server}-${database}`, plans]),
      ),
    )
  if (name === 'reference') return measuredOn([all])
  if (name === 'clients') {
    const plan = planOf(users, clientWorkloads)
    const subjects: SubjectName[] = [
      'millrace-sqlite',
      'millrace-postgres',
      'millrace-postgres-2',
      ...(host.hasReference ? (['reference-postgres'] as const) : []),
    ]
    return Object.fromEntries(subjects.map((subject) => [subject, plan]))
  }
  // Few users: the latency of one reaction counts, not that of a queue.
  return measuredOn([{ users: 1, only: trials }])
}
