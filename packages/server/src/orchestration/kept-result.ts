import type { RunState } from './rule.ts'

/**
 * Whether a state's data says where a result is kept: an object of any `type` but `unpersisted`.
 * Texts and lists are data of the client's own, not a result somebody could look up.
 */
export function namesResult(state: RunState): boolean {
  const data = objectOf(state.data)
  return data !== undefined && data.type !== 'unpersisted'
}

/** Whether a run would lose its result by leaving this state. An empty object names nothing, though one may be proposed in place of a result. */
export function keepsResult(state: RunState): boolean {
  if (state.type !== 'COMPLETED') return false
  const data = objectOf(state.data)
  return data !== undefined && data.type !== 'unpersisted' && Object.keys(data).length > 0
}

function objectOf(text: string | null): Record<string, unknown> | undefined {
  // Results may be large; only an object is worth parsing.
  if (text === null || !/^\s*\{/.test(text)) return undefined
  return JSON.parse(text)
}

/** What to store of a state's data: a result that says it is not persisted is told to whoever is listening now and is gone afterwards. */
export function dataToStore(state: RunState): string | null {
  // Without the word there is nothing to find out by parsing.
  if (!state.data?.includes('unpersisted')) return state.data
  return objectOf(state.data)?.type === 'unpersisted' ? null : state.data
}
