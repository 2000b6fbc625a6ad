import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import type { Rule, RunSnapshot } from './rule.ts'

/** The rules that speak about one pair of states, in order. */
export interface SelectedRules<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  /** Those among them that settle, so that the others are not asked. */
  readonly finalizing: readonly Rule<Run>[]
}

type ByTarget<Run extends RunSnapshot> = Readonly<Record<StateType, SelectedRules<Run>>>

export interface Policy<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  readonly fromNone: ByTarget<Run>
  readonly from: Readonly<Record<StateType, ByTarget<Run>>>
}

/** A list of rules with the choice for each of the 90 pairs made beforehand: thousands of transitions a second would otherwise sift it each time. */
export function definePolicy<Run extends RunSnapshot>(...rules: Rule<Run>[]): Policy<Run> {
  const choose = (from: StateType | null, to: StateType): SelectedRules<Run> => {
    const chosen = rules.filter((rule) => rule.from.includes(from) && rule.to.includes(to))
    return { rules: chosen, finalizing: chosen.filter((rule) => rule.finalize) }
  }
  const byTarget = (from: StateType | null): ByTarget<Run> => mapStateTypes((to) => choose(from, to))
  return { rules, fromNone: byTarget(null), from: mapStateTypes(byTarget) }
}

export const selectRules = <Run extends RunSnapshot>(policy: Policy<Run>, from: StateType | null, to: StateType): SelectedRules<Run> =>
  (from === null ? policy.fromNone : policy.from[from])[to]

function mapStateTypes<T>(make: (type: StateType) => T): Record<StateType, T> {
  return Object.fromEntries(stateTypes.map((type) => [type, make(type)])) as Record<StateType, T>
}
