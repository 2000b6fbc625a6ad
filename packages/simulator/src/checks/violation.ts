/** An invariant that does not hold. */
export class Violation extends Error {
  readonly invariant: string

  constructor(invariant: string, what: string) {
    super(what)
    this.invariant = invariant
  }
}

export function expect(invariant: string, holds: boolean, what: () => string): void {
  if (!holds) throw new Violation(invariant, what())
}

/** Fails if a query returns rows. */
export function expectNone(invariant: string, rows: readonly object[], what: string): void {
  expect(
    invariant,
    rows.length === 0,
    () =>
      `${what}: ${rows
        .slice(0, 3)
        .map((row) => JSON.stringify(row))
        .join(', ')}`,
  )
}
