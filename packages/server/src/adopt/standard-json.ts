import type { SqlValue } from '../storage/connection.ts'

const nonStandardNumber = /NaN|Infinity/

/**
 * Replaces NaN and Infinity, which are not valid JSON, by null, and a JSON null by SQL null. Python writes them into unchecked columns, and its server also
 * responds with null.
 */
export function toStandardJson(value: SqlValue | undefined): string | null {
  if (typeof value !== 'string' || value === 'null') return null
  if (!nonStandardNumber.test(value)) return value
  let quoted = false
  return value.replaceAll(/"|\\.|-?\b(?:NaN|Infinity)\b/g, (token) => {
    if (token === '"') quoted = !quoted
    return quoted || token === '"' || token.startsWith('\\') ? token : 'null'
  })
}
