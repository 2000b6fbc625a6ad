import type { StateType } from '@millrace/contracts/state.ts'

/** The type that a word of the filter stands for. */
export const stateTypeOfChoice = (word: string): StateType => (word === 'Late' ? 'SCHEDULED' : (word.toUpperCase() as StateType))
