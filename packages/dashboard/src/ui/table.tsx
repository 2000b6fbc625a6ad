import type { ReactNode } from 'react'
import { classNames } from './classes.ts'

interface Column<T> {
  readonly header: string
  cell(row: T): ReactNode
  /** Width, and `hidden md:table-cell` for columns that phones omit. */
  readonly className?: string
  readonly alignEnd?: boolean
}

interface TableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  rowKey(row: T): string
}

/** Table for one page of a list. Use `VirtualRows` for thousands of rows. */
export function Table<T>({ label, rows, columns, rowKey }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable
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
