import { checkedWorkloads } from '../../packages/bench/src/regression.ts'
import type { Figures } from '../../packages/bench/src/results.ts'
import type { MeasuredResult } from '../../packages/bench/src/run-bench.ts'
import type { BenchHost } from './host.ts'
import { type MeasureOptions, type Plan, resultsHeader, type SeededSubject, seed, toFigures, waitUntilIdle } from './measure-subjects.ts'
import { createSubject, type RunningSubject, type Subject, type SubjectName } from './subjects.ts'

/** A server that runs beside the others it is compared with. */
export interface SideBySide {
  readonly label: string
  readonly running: RunningSubject
  readonly seeded: SeededSubject
  readonly results: Map<string, MeasuredResult[]>
}

/** Starts servers, measures them in turn, and stops them. */
export async function measureSideBySide(
  host: BenchHost,
  names: readonly SubjectName[],
  plans: readonly Plan[],
  options: MeasureOptions,
): Promise<Record<string, Figures>> {
  const subjects: SideBySide[] = []
  try {
    for (const name of names) subjects.push(await startSideBySide(createSubject(host, name, `${options.label}_${name}`), name, plans, options))
    for (const plan of plans) await measureInTurn(subjects, plan, options)
    return Object.fromEntries(subjects.map(({ label, results }) => [label, toFigures(results)]))
  } finally {
    await stopAll(subjects)
  }
}

/** Starts and seeds a server. */
export async function startSideBySide(subject: Subject, label: string, plans: readonly Plan[], options: MeasureOptions): Promise<SideBySide> {
  const running = await subject.start()
  try {
    const log = (line: string) => options.log(`${line}  ${label}`)
    return { label, running, seeded: await seed(running, plans, { ...options, log }), results: new Map() }
  } catch (error) {
    await running.stop()
    throw error
  }
}

/** Measures servers that all run, in turn with each workload, so that a machine whose speed changes meets all of them. */
export async function measureInTurn(subjects: readonly SideBySide[], plan: Plan, options: MeasureOptions): Promise<void> {
  options.log(`\n${subjects.map(({ label }) => label).join(', ')} in turn`)
  options.log(resultsHeader)
  for (const name of subjects[0]?.seeded.namesOf(plan) ?? []) {
    for (let repeat = 0; repeat < options.repeats; repeat += 1) {
      for (const { label, seeded, results } of repeat % 2 === 0 ? subjects : subjects.toReversed()) {
        if (label === 'prototype' && !isServedByPrototype(name)) continue
        for (const other of subjects) if (other.seeded !== seeded) await waitUntilIdle(other.running.groups, options.signal)
        await seeded.measure(name, plan, results)
      }
    }
  }
}

const isServedByPrototype = (name: string): boolean => (checkedWorkloads as readonly string[]).includes(name)

/** Stops the servers, also those that started before another one failed. */
export async function stopAll(subjects: readonly SideBySide[]): Promise<void> {
  for (const { running, seeded } of subjects) {
    seeded.close()
    await running.stop()
  }
}
