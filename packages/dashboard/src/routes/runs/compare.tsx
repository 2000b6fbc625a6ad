import { createFileRoute } from '@tanstack/react-router'
import { ComparePage } from '../../features/compare/compare-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/runs/compare')({
  validateSearch: onlyValid((params): { a?: string; b?: string } => ({ a: readString(params.a), b: readString(params.b) })),
  component: Compare,
})

function Compare() {
  const { a, b } = Route.useSearch()
  return <ComparePage key={`${a} ${b}`} a={a} b={b} />
}
