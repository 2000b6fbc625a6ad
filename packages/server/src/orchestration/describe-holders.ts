const holdersListedMax = 3

/** Who has the slots, for people and for the explanation; long lists are cut. */
export function describeHolders(holders: readonly string[]): string {
  if (holders.length === 0) return 'held by nobody'
  const named = holders.slice(0, holdersListedMax)
  const more = holders.length - named.length
  return `held by ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
