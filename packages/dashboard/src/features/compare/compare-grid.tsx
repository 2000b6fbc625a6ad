import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'

export interface CompareRow {
  readonly key: string
  readonly name: ReactNode
  readonly a: ReactNode
  readonly b: ReactNode
  /** Beside both: by how much. */
  readonly change?: ReactNode
  readonly differs?: boolean
}

interface CompareGridProps {
  readonly label: string
  readonly names: readonly [string, string]
  readonly rows: readonly CompareRow[]
}

/** Two things beside each other, a row for each of what they have; rows that differ are marked, by more than a colour. */
export function CompareGrid({ label, names, rows }: CompareGridProps) {
  const hasChange = rows.some(({ change }) => change !== undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section aria-label={`Table of ${label.toLowerCase()}`} tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-[30rem] table-fixed border-collapse text-left">
        <caption className="sr-only">{label}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">What</th>
            {names.map((name, side) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two sides, which may have the same name
              <th key={side} scope="col">
                {name}
              </th>
            ))}
            {hasChange && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, a, b, change, differs = false }) => (
            <tr key={key} data-differs={differs || undefined} className={classes('border-b border-line last:border-b-0', differs && 'bg-wash')}>
              <th scope="row" className="w-[22%] px-3.5 py-1.5 align-top font-normal text-soft">
                <span className="flex items-baseline gap-1.5">
                  <span className="min-w-0 break-words">{name}</span>
                  {differs && (
                    <span role="img" aria-label="differs" title="differs" className="text-accent">
                      ≠
                    </span>
                  )}
                </span>
              </th>
              <td className="px-3.5 py-1.5 align-top break-words">{a}</td>
              <td className="px-3.5 py-1.5 align-top break-words">{b}</td>
              {hasChange && <td className="w-36 px-3.5 py-1.5 text-right align-top whitespace-nowrap">{change}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
