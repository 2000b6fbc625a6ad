import type { Labels } from '@millrace/contracts/primitives.ts'

/** Labels of a run: those of what it belongs to, the system's own, and its own over them. */
export function mergeLabels(
  inherited: readonly (string | null | undefined)[],
  system: Readonly<Record<string, string | null>>,
  own: Labels | null | undefined,
): string {
  const known = inherited.map((text) => (text ? (JSON.parse(text) as Labels) : {}))
  const ours = Object.fromEntries(Object.entries(system).filter(([, value]) => value !== null)) as Labels
  return JSON.stringify(Object.assign({}, ...known, ours, own ?? {}))
}
