import type { SqlValue } from '../storage/connection.ts'
import type { SourceKind } from './source/source.ts'

/** How a column of ours is filled from the source. */
export interface Column {
  readonly kind: SourceKind
  /** The column of the source, where it is called otherwise there or lies in a table that is joined. */
  readonly from?: string
  /** Instead of null, and for sources that are too old to have the column. */
  readonly fallback?: SqlValue
}

export type Columns = Readonly<Record<string, Column>>

const column =
  (kind: SourceKind) =>
  (otherwise?: SqlValue, from?: string): Column => ({
    kind,
    ...(otherwise === undefined ? {} : { fallback: otherwise }),
    ...(from === undefined ? {} : { from }),
  })

export const uuid = column('uuid')
export const text = column('text')
export const int = column('int')
export const real = column('real')
export const bool = column('bool')
export const time = column('time')
export const span = column('span')
export const json = column('json')

/** The same, found under another name. */
export const at = (from: string, inner: Column): Column => ({ ...inner, from })

export const baseColumns: Columns = { id: uuid(), created: time(), updated: time() }
