import { actionKind } from '../action-context.ts'

/** For automations that are only to be told of. */
export const doNothing = actionKind('do-nothing', async () => ({ related: [], details: {} }))
