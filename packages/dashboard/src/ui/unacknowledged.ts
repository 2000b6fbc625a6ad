/**
 * A value that a person changes goes into the address and comes back a moment later, when it may have changed again. Of those sent and not
 * yet back, the oldest first: which are still under way after `value` came. Undefined if it is none of them, and so from elsewhere.
 */
export function unacknowledged(sent: readonly string[], value: string): readonly string[] | undefined {
  // The first, not the last: of two that are alike the second may still be to come, and one in between with it.
  const at = sent.indexOf(value)
  return at < 0 ? undefined : sent.slice(at + 1)
}
