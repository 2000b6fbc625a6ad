import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { TableData } from './parse-artifact-data.ts'

const initialRows = 200

/** Table artifact. Renders more rows on demand. */
export function DataTable({ table }: { readonly table: TableData }) {
  const [limit, setLimit] = useState(initialRows)
  const rest = table.rows.length - limit
  return (
    <div className="flex flex-col items-start gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable */}
      <section aria-label="Table" tabIndex={0} className="card max-w-full overflow-x-auto">
        <table className="border-collapse text-left">
          <thead>
            <tr className="border-b border-line">
              {table.columns.map((column) => (
                <th key={column} scope="col" className="h-9 px-3 font-medium whitespace-nowrap text-faint text-sm">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, limit).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a fixed table have no id
              <tr key={index} className="border-b border-line last:border-b-0 hover:bg-hover">
                {row.map((cell, column) => (
                  <td key={table.columns[column] ?? column} className={`px-3 py-1 align-top ${typeof cell === 'number' ? 'text-right' : ''}`}>
                    {cellText(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rest > 0 && <Button onClick={() => setLimit(limit + 1000)}>{`${rest.toLocaleString()} more rows`}</Button>}
    </div>
  )
}

const cellText = (cell: unknown): string =>
  cell === null || cell === undefined ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
