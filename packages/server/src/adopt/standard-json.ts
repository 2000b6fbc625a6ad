import type { SqlValue } from '../storage/connection.ts'

const nonStandardNumber = /NaN|Infinity/

/**
 * JSON that other programs can read, or null for a JSON null. Python writes numbers that are none into columns that nobody checks; its server
 * answers with null in their place, and so do we.
 */
export function toStandardJson(value: SqlValue | undefined): string | null {
  if (typeof value !== 'string' || value === 'null') return null
  if (!nonStandardNumber.test(value)) return value
  let quoted = false
  return value.replaceAll(/"|\\.|-?\b(?:NaN|Infinity)\b/g, (piece) => {
    if (piece === '"') quoted = !quoted
    return quoted || piece === '"' || piece.startsWith('\\') ? piece : 'null'
  })
}
