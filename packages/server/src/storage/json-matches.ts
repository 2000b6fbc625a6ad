import type { RawBuilder } from 'kysely'
import { composeJsonText } from '../lib/json-compose.ts'
import { ExactNumber } from '../lib/json-exact.ts'
import { all, type Condition } from './criteria.ts'
import type { Dialect, JsonPath } from './dialect.ts'

/**
 * Stored JSON holds what is asked for: of an object the keys that are named, of a list every element, anything else as it is. One comparison
 * for each value, with the path bound as a value, for neither database says the same with its own containment: PostgreSQL's takes `[1, 2, 3]`
 * to hold `[2]`, and SQLite has none.
 */
export function jsonMatches(dialect: Dialect, column: RawBuilder<unknown>, wanted: unknown): Condition {
  const conditions: Condition[] = []
  const visit = (value: unknown, path: JsonPath): void => {
    if (Array.isArray(value)) {
      conditions.push(dialect.isJsonType(column, path, 'array'), dialect.isJsonType(column, [...path, value.length], null))
      for (const [index, each] of value.entries()) visit(each, [...path, index])
    } else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
      if (path.length > 0) conditions.push(dialect.isJsonType(column, path, 'object'))
      for (const [key, each] of Object.entries(value)) visit(each, [...path, key])
    } else {
      conditions.push(dialect.equalsJson(column, path, composeJsonText(value)))
    }
  }
  visit(wanted, [])
  return all(conditions)
}

/** How many values are asked for: each costs a look into the stored text. */
export function countValues(wanted: unknown): number {
  if (typeof wanted !== 'object' || wanted === null || wanted instanceof ExactNumber) return 1
  return Object.values(wanted).reduce((sum: number, each) => sum + countValues(each), 1)
}
