import { isDeepStrictEqual } from 'node:util'
import { rawJson } from '../lib/json.ts'

/** What an update changed, as `updated` events tell it. */
export type FieldChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

/** Fields worth an event, with how their columns hold them. */
export type TrackedFields<R> = { readonly [K in keyof R]?: 'value' | 'json' }

/** The tracked fields of `change` that differ from the row; writing the same again is no change. */
export function fieldChanges<R extends object>(before: R, change: Partial<R>, tracked: TrackedFields<R>): FieldChanges {
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  for (const name of Object.keys(change) as (keyof R & string)[]) {
    const kind = tracked[name]
    if (!kind) continue
    const [from, to] = [before[name], change[name]] as [string | null, string | null]
    const same = kind === 'value' ? from === to : isDeepStrictEqual(parsed(from), parsed(to))
    if (!same) changes[name] = kind === 'value' ? { from, to } : { from: rawJson(from), to: rawJson(to) }
  }
  return changes
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
