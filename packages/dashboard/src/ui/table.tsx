import type { ReactNode } from 'react'
import { classNames } from './classes.ts'

interface Column<T> {
  readonly header: string
  cell(row: T): ReactNode
  /** Widths, and `hidden md:table-cell` for what a phone can do without. */
  readonly className?: string
  readonly alignEnd?: boolean
}

interface TableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  rowKey(row: T): string
}

/** A table of things that are all there: a page of a list. For thousands of rows there is `VirtualRows`. */
export function Table<T>({ label, rows, columns, rowKey }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="card overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                className={classNames('h-9 px-3 font-medium whitespace-nowrap text-faint text-sm', column.alignEnd && 'text-right', column.className)}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-b border-line last:border-b-0 hover:bg-hover">
              {columns.map((column) => (
                <td key={column.header} className={classNames('h-9 px-3 py-1', column.alignEnd && 'text-right', column.className)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
