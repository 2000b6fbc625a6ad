import Type, { type Static } from 'typebox'
import { defaulted, parameters } from './primitives.ts'
import { StateCreate } from './state.ts'

/** Forced, a proposal skips the rules that could alter or refuse it. */
export const proposal = { state: StateCreate, force: defaulted(Type.Boolean(), false) }

/** For flow runs and task runs alike. */
export const SetStateBody = parameters(proposal)
export type SetStateBody = Static<typeof SetStateBody>
