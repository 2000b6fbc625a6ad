import type { Labels } from '@millrace/contracts/primitives.ts'

/** Merges labels: inherited ones, then system labels, then the given ones. Later ones override. */
export function mergeLabels(
  inherited: readonly (string | null | undefined)[],
  system: Readonly<Record<string, string | null>>,
  given: Labels | null | undefined,
): string {
  const merged: Labels = {}
  for (const text of inherited) if (text && text !== '{}') Object.assign(merged, JSON.parse(text))
  for (const name in system) if (system[name] !== null) merged[name] = system[name] as string
  return JSON.stringify(given ? Object.assign(merged, given) : merged)
}
