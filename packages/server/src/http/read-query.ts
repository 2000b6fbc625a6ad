import type { TSchema } from 'typebox'
import { compileReader, plainSchema, type Reader } from './compile-reader.ts'

/** Reads a query. A repeated parameter has its last value, unless the contract declares a list. */
export function queryReader(schema: TSchema): Reader {
  const read = compileReader(schema)
  const properties = Object.entries(plainSchema(schema).properties ?? {})
  const lists = new Set(properties.filter(([, property]) => isList(property)).map(([name]) => name))
  return (query, loc, faults) => read(withLastValues(query as Query, lists), loc, faults)
}

type Query = Readonly<Record<string, string | readonly string[]>>

function withLastValues(query: Query, lists: ReadonlySet<string>): Query {
  let changed: Record<string, string | readonly string[]> | undefined
  for (const name in query) {
    const value = query[name] as string | readonly string[]
    if (Array.isArray(value) === lists.has(name)) continue
    changed ??= { ...query }
    changed[name] = Array.isArray(value) ? (value.at(-1) as string) : [value as string]
  }
  return changed ?? query
}

const isList = (schema: TSchema): boolean => {
  const { type, anyOf = [] } = plainSchema(schema)
  return type === 'array' || anyOf.some(isList)
}
