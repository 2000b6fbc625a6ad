import Type, { type Static } from 'typebox'
import { nullable, response, Text, Time } from './primitives.ts'

/** What is kept of one kind of thing, and what has been removed for being too old. */
export const KeptKind = response('KeptKind', {
  kind: Text,
  /** Null keeps them for ever. */
  retention_days: nullable(Type.Number()),
  oldest: nullable(Time),
  /** About how many there are. */
  rows: Type.Integer(),
  /** What they take on disk, where the database can tell. */
  bytes: nullable(Type.Integer()),
  /** Removed since the server was first started. */
  trimmed: Type.Integer(),
  last_run: nullable(Time),
  /** Removed in the last run. */
  last_trimmed: Type.Integer(),
})

export const RetentionReport = response('RetentionReport', {
  database_bytes: Type.Integer(),
  /** What was taken over from another installation is no younger than this, and is not removed. Null: nothing is spared. */
  adopted_until: nullable(Time),
  kinds: Type.Array(KeptKind),
})
export type RetentionReport = Static<typeof RetentionReport>
