import type { ReactNode } from 'react'

export interface Fact {
  readonly name: string
  readonly value: ReactNode
}

/** Name–value list. Entries without a value are omitted. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null | false | undefined)[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1.5">
      {facts.map((fact) =>
        fact && fact.value !== null && fact.value !== undefined && fact.value !== '' ? (
          <div key={fact.name} className="contents">
            <dt className="text-faint">{fact.name}</dt>
            <dd className="min-w-0">{fact.value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
