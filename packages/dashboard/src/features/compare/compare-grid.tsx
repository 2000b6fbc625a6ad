import type { ReactNode } from 'react'
import { classNames } from '../../ui/classes.ts'
import { relativeChange } from './compare-runs.ts'

export interface CompareRow {
  readonly key: string
  readonly name: ReactNode
  readonly a: ReactNode
  readonly b: ReactNode
  /** Shown beside both values. */
  readonly change?: ReactNode
  readonly differs?: boolean
}

interface CompareGridProps {
  readonly label: string
  readonly names: readonly [string, string]
  readonly rows: readonly CompareRow[]
}

/** Compares two columns row by row. Different rows have a mark in addition to a colour. */
export function CompareGrid({ label, names, rows }: CompareGridProps) {
  const hasChange = rows.some(({ change }) => change !== undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable by keyboard
    <section aria-label={`Table of ${label.toLowerCase()}`} tabIndex={0} className="overflow-x-auto">
      <table className="w-full table-fixed border-collapse text-left [overflow-wrap:anywhere]">
        <caption className="sr-only">{label}</caption>
        {/* The same columns whether there is a change to tell or not: the tables of a page stand below each other. */}
        <colgroup>
          <col className="w-[33%] sm:w-[22%]" />
          <col />
          <col />
          <col className="w-0 sm:w-36" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Field</th>
            {names.map((name, side) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns, which can have the same name
              <th key={side} scope="col">
                {name}
              </th>
            ))}
            {hasChange && (
              <th scope="col" className="max-sm:hidden">
                Change
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, a, b, change, differs = false }) => (
            <tr key={key} data-differs={differs || undefined} className={classNames('border-b border-line last:border-b-0', differs && 'bg-wash')}>
              <th scope="row" className="py-1.5 pr-2 pl-3.5 align-top font-normal text-soft">
                <span className="flex items-baseline gap-1.5">
                  <span className="min-w-0">{name}</span>
                  {differs && (
                    <span role="img" aria-label="differs" title="differs" className="text-accent">
                      ≠
                    </span>
                  )}
                </span>
              </th>
              <td className="px-2 py-1.5 align-top">{a}</td>
              <td colSpan={hasChange ? 1 : 2} className="px-2 py-1.5 align-top">
                {b}
                {change !== undefined && <span className="block text-sm sm:hidden">{change}</span>}
              </td>
              {hasChange && <td className="px-3.5 py-1.5 text-right align-top whitespace-nowrap max-sm:hidden">{change}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Smaller changes are noise. */
const changeShareMin = 0.05

/** Relative change of the duration as text. */
export function ChangeText({ a, b }: { readonly a: number | undefined; readonly b: number | undefined }) {
  const change = relativeChange(a, b)
  if (change === undefined) return <span className="text-faint">–</span>
  if (Math.abs(change) < changeShareMin) return <span className="text-faint">same</span>
  const times = 1 + change
  const text =
    times >= 3 ? `${times.toFixed(times < 10 ? 1 : 0)} times as long` : `${Math.round(Math.abs(change) * 100)} % ${change > 0 ? 'longer' : 'shorter'}`
  return <span className={change > 0 ? 'text-danger' : 'text-good'}>{text}</span>
}
