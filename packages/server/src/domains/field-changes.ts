import { isDeepStrictEqual } from 'node:util'
import { rawJson } from '../lib/json.ts'

/** The changed fields of an update, as in `updated` events. */
export type FieldChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

/** The fields that cause an event, and whether their columns hold plain values or JSON text. */
export type TrackedFields<R> = { readonly [K in keyof R]?: 'value' | 'json' }

/** The tracked fields of `change` that differ from the row. */
export function fieldChanges<R extends object>(before: R, change: Partial<R>, tracked: TrackedFields<R>): FieldChanges {
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  for (const name of Object.keys(change) as (keyof R & string)[]) {
    const kind = tracked[name]
    if (!kind) continue
    const [from, to] = [before[name], change[name]] as [string | null, string | null]
    const isSame = kind === 'value' ? from === to : isDeepStrictEqual(parseNullable(from), parseNullable(to))
    if (!isSame) changes[name] = kind === 'value' ? { from, to } : { from: rawJson(from), to: rawJson(to) }
  }
  return changes
}

const parseNullable = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
