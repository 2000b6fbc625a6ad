import type { RunState } from './rule.ts'

/**
 * Whether the data of a state references a stored result: an object of any `type` but `unpersisted`.
 * Strings and lists are client data, not references.
 */
export function referencesResult(state: RunState): boolean {
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted'
}

/** Whether the run would lose its result when it leaves this state. An empty object references nothing, but may be proposed in place of a result. */
export function hasPersistedResult(state: RunState): boolean {
  if (state.type !== 'COMPLETED') return false
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted' && Object.keys(data).length > 0
}

function parseJsonObject(text: string | null): Record<string, unknown> | undefined {
  // Data may be large; only objects are parsed.
  if (text === null || !/^\s*\{/.test(text)) return undefined
  return JSON.parse(text)
}

/** The data to store. A result of type `unpersisted` is part of the response and is not stored. */
export function dataToStore(state: RunState): string | null {
  // Parse only if the word occurs.
  if (!state.data?.includes('unpersisted')) return state.data
  return parseJsonObject(state.data)?.type === 'unpersisted' ? null : state.data
}
