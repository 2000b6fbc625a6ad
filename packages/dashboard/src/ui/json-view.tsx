import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

interface JsonViewProps {
  readonly value: unknown
  readonly label: string
}

/** JSON tree: short values on one line, long ones collapsed. */
export function JsonView({ value, label }: JsonViewProps) {
  return (
    <section aria-label={label} className="flex items-start rounded-md border border-line bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable */}
      <div tabIndex={0} className="min-w-0 flex-1 overflow-x-auto px-3 py-2 font-mono text-sm">
        <Node value={value} depth={0} />
      </div>
      <CopyButton text={() => JSON.stringify(value, null, 2) ?? ''} label={`Copy ${label.toLowerCase()}`} />
    </section>
  )
}

const lineCharacters = 64
const openDepth = 2
const entriesMax = 100

/** Integers beyond the safe range arrive as raw JSON and are shown unchanged. */
const isRawNumber = (value: unknown): value is { rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false

function Node({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (isRawNumber(value)) return <span className="text-accent">{value.rawJSON}</span>
  if (typeof value === 'string') return <span className="whitespace-pre-wrap text-good">{JSON.stringify(value)}</span>
  if (typeof value !== 'object' || value === null) return <span className="text-accent">{String(value)}</span>
  const text = JSON.stringify(value)
  const entries = Object.entries(value)
  if (entries.length === 0 || (text.length <= lineCharacters && depth > 0 && entries.every(([, each]) => typeof each !== 'object'))) {
    return <Inline value={value} />
  }
  return <Branch entries={entries} isArray={Array.isArray(value)} depth={depth} />
}

function Inline({ value }: { readonly value: object }) {
  const isArray = Array.isArray(value)
  const entries = Object.entries(value)
  return (
    <span>
      {isArray ? '[' : '{'}
      {entries.map(([key, each], index) => (
        <span key={key}>
          {index > 0 && ', '}
          {!isArray && <span className="text-soft">{JSON.stringify(key)}: </span>}
          <Node value={each} depth={1} />
        </span>
      ))}
      {isArray ? ']' : '}'}
    </span>
  )
}

interface BranchProps {
  readonly entries: readonly [string, unknown][]
  readonly isArray: boolean
  readonly depth: number
}

function Branch({ entries, isArray, depth }: BranchProps) {
  const [open, setOpen] = useState(depth < openDepth)
  const [limit, setLimit] = useState(entriesMax)
  const [opening, closing] = isArray ? ['[', ']'] : ['{', '}']
  return (
    <span>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inline-flex items-center rounded-sm text-soft hover:text-ink"
      >
        <Icon name={open ? 'down' : 'right'} size={12} />
        {open ? opening : `${opening} ${entries.length} ${closing}`}
      </button>
      {open && (
        <>
          <span className="block border-l border-line pl-4">
            {entries.slice(0, limit).map(([key, each]) => (
              <span key={key} className="block">
                {!isArray && <span className="text-soft">{JSON.stringify(key)}: </span>}
                <Node value={each} depth={depth + 1} />
              </span>
            ))}
            {entries.length > limit && (
              <button type="button" className="link" onClick={() => setLimit(limit + entriesMax * 10)}>
                {entries.length - limit} more
              </button>
            )}
          </span>
          {closing}
        </>
      )}
    </span>
  )
}
