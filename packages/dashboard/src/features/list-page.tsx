import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { QueryView } from './query-view.tsx'

interface ListPageProps<T> {
  readonly title: string
  readonly query: UseQueryResult<T[]>
  readonly columns: readonly Column<T>[]
  rowKey(row: T): string
  readonly empty: ReactNode
  readonly actions?: ReactNode
}

/** A page that is one table. */
export function ListPage<T>({ title, query, columns, rowKey, empty, actions }: ListPageProps<T>) {
  return (
    <Page title={title} actions={actions} beside={query.data && <span className="text-faint">{query.data.length.toLocaleString()}</span>}>
      <QueryView query={query}>
        {(rows) => (rows.length === 0 ? empty : <Table label={title} rows={rows} columns={columns} rowKey={rowKey} />)}
      </QueryView>
    </Page>
  )
}
