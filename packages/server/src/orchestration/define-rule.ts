import { type StateType, stateTypes, terminalTypes } from '@millrace/contracts/state.ts'
import type { Rule, RunSnapshot } from './rule.ts'

/** For `from`: whatever the run's state, and also when it has none. */
export const anyTypeOrNone: readonly (StateType | null)[] = [null, ...stateTypes]

/** For `from` and `to`: whatever the type. */
export const anyType: readonly StateType[] = stateTypes

export const terminal: readonly StateType[] = terminalTypes

export const allTypesExcept = (...types: StateType[]): readonly StateType[] => stateTypes.filter((type) => !types.includes(type))

/** A rule, checked and closed to changes. */
export const defineRule = <Run extends RunSnapshot = RunSnapshot>(rule: Rule<Run>): Rule<Run> => Object.freeze(rule)
