import Type, { type Static } from 'typebox'
import { nullable, response, Text, Time } from './primitives.ts'

/** The stored and the removed rows of one kind. */
export const KeptKind = response('KeptKind', {
  kind: Text,
  /** Null disables retention. */
  retention_days: nullable(Type.Number()),
  oldest: nullable(Time),
  /** The approximate number of rows. */
  rows: Type.Integer(),
  /** Bytes on disk, if the database reports them. */
  bytes: nullable(Type.Integer()),
  /** Removed since the first start of the server. */
  trimmed: Type.Integer(),
  last_run: nullable(Time),
  /** Removed in the last run. */
  last_trimmed: Type.Integer(),
})

export const RetentionReport = response('RetentionReport', {
  database_bytes: Type.Integer(),
  /** Adopted rows up to this time are not removed. Null: no rows are excluded. */
  adopted_until: nullable(Time),
  kinds: Type.Array(KeptKind),
})
export type RetentionReport = Static<typeof RetentionReport>
