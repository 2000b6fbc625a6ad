/** The rows that transitions need. */
export interface FoundRuns<Row> {
  readonly rows: readonly Row[]
  /** The `updated` of those that were not read and locked. */
  readonly expected: ReadonlyMap<string, number>
}

/** The remembered rows, and the others as `lock` reads and locks them. */
export async function findOthers<Row extends { readonly id: string }>(
  remembered: readonly (Row & { readonly updated: number })[],
  ids: readonly string[],
  lock: (missing: readonly string[]) => Promise<readonly Row[]>,
): Promise<FoundRuns<Row>> {
  const expected = new Map(remembered.map(({ id, updated }) => [id, updated]))
  const missing = ids.filter((id) => !expected.has(id))
  return { rows: missing.length === 0 ? remembered : [...remembered, ...(await lock(missing))], expected }
}

/**
 * Evaluates proposals, and again with rows that `lock` reads if one of them writes no state: only a write checks that a remembered run is the same still.
 */
export async function evaluateChecked<Row, E extends { readonly writes: { readonly states: readonly unknown[] } }>(
  proposals: readonly unknown[],
  found: FoundRuns<Row>,
  evaluate: (found: FoundRuns<Row>) => Promise<E>,
  lock: () => Promise<readonly Row[]>,
): Promise<E> {
  const evaluated = await evaluate(found)
  const isChecked = found.expected.size === 0 || evaluated.writes.states.length === proposals.length
  return isChecked ? evaluated : evaluate({ rows: await lock(), expected: new Map() })
}
