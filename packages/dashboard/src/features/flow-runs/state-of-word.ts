import type { StateType } from '@millrace/contracts/state.ts'

/** The state type of a filter choice. */
export const stateTypeOfChoice = (choice: string): StateType => (choice === 'Late' ? 'SCHEDULED' : (choice.toUpperCase() as StateType))
