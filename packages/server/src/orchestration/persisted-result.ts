import type { RunState } from './rule.ts'

/**
 * Whether a state's data says where a result is kept: an object of any `type` but `unpersisted`.
 * Texts and lists are data of the client's own, not a result somebody could look up.
 */
export function referencesResult(state: RunState): boolean {
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted'
}

/** Whether a run would lose its result by leaving this state. An empty object names nothing, though one may be proposed in place of a result. */
export function hasPersistedResult(state: RunState): boolean {
  if (state.type !== 'COMPLETED') return false
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted' && Object.keys(data).length > 0
}

function parseJsonObject(text: string | null): Record<string, unknown> | undefined {
  // Results may be large; only an object is worth parsing.
  if (text === null || !/^\s*\{/.test(text)) return undefined
  return JSON.parse(text)
}

/** What to store of a state's data: a result that says it is not persisted is told to whoever is listening now and is gone afterwards. */
export function dataToStore(state: RunState): string | null {
  // Without the word there is nothing to find out by parsing.
  if (!state.data?.includes('unpersisted')) return state.data
  return parseJsonObject(state.data)?.type === 'unpersisted' ? null : state.data
}
