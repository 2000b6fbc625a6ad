import type { SqlValue } from '../storage/connection.ts'
import type { SourceKind } from './source/source.ts'

/** How a target column is read from the source. */
export interface Column {
  readonly kind: SourceKind
  /** The source column, when its name differs or it is in a joined table. */
  readonly from?: string
  /** Replaces null, and the column in sources that are too old to have it. */
  readonly fallback?: SqlValue
}

export type Columns = Readonly<Record<string, Column>>

const column =
  (kind: SourceKind) =>
  (fallback?: SqlValue, from?: string): Column => ({
    kind,
    ...(fallback === undefined ? {} : { fallback }),
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

export const baseColumns: Columns = { id: uuid(), created: time(), updated: time() }
