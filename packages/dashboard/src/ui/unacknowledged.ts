/**
 * A changed value goes into the URL and comes back a moment later, when it may have changed again. `sent` holds the values that have not come back,
 * oldest first. Returns those still pending after `value` arrived, or undefined if `value` was changed elsewhere.
 */
export function unacknowledged(sent: readonly string[], value: string): readonly string[] | undefined {
  // The first match, not the last: with two equal values, the second may still be pending, and one between them too.
  const at = sent.indexOf(value)
  return at < 0 ? undefined : sent.slice(at + 1)
}
