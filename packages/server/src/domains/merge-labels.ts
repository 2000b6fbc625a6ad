import type { Labels } from '@millrace/contracts/primitives.ts'

/** Merges labels: inherited ones, then system labels, then the given ones. Later ones override. */
export function mergeLabels(
  inherited: readonly (string | null | undefined)[],
  system: Readonly<Record<string, string | null>>,
  given: Labels | null | undefined,
): string {
  const parsed = inherited.map((text) => (text ? (JSON.parse(text) as Labels) : {}))
  const systemLabels = Object.fromEntries(Object.entries(system).filter(([, value]) => value !== null)) as Labels
  return JSON.stringify(Object.assign({}, ...parsed, systemLabels, given ?? {}))
}
