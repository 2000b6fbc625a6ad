import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import type { Rule, RunFacts } from './rule.ts'

/** The rules that speak about one pair of states, in order. */
export interface Chosen<Run extends RunFacts = RunFacts> {
  readonly rules: readonly Rule<Run>[]
  /** Those among them that settle, so that the others are not asked. */
  readonly settling: readonly Rule<Run>[]
}

type ByTarget<Run extends RunFacts> = Readonly<Record<StateType, Chosen<Run>>>

export interface Policy<Run extends RunFacts = RunFacts> {
  readonly rules: readonly Rule<Run>[]
  readonly fromNone: ByTarget<Run>
  readonly from: Readonly<Record<StateType, ByTarget<Run>>>
}

/** A list of rules with the choice for each of the 90 pairs made beforehand: thousands of transitions a second would otherwise sift it each time. */
export function definePolicy<Run extends RunFacts>(...rules: Rule<Run>[]): Policy<Run> {
  const choose = (from: StateType | null, to: StateType): Chosen<Run> => {
    const chosen = rules.filter((rule) => rule.from.includes(from) && rule.to.includes(to))
    return { rules: chosen, settling: chosen.filter((rule) => rule.settle) }
  }
  const byTarget = (from: StateType | null): ByTarget<Run> => mapTypes((to) => choose(from, to))
  return { rules, fromNone: byTarget(null), from: mapTypes(byTarget) }
}

export const rulesFor = <Run extends RunFacts>(policy: Policy<Run>, from: StateType | null, to: StateType): Chosen<Run> =>
  (from === null ? policy.fromNone : policy.from[from])[to]

function mapTypes<T>(make: (type: StateType) => T): Record<StateType, T> {
  return Object.fromEntries(stateTypes.map((type) => [type, make(type)])) as Record<StateType, T>
}
