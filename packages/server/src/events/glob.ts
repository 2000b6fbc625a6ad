/** Matches a pattern in which `*` stands for any text and `?` for one character. Case-sensitive. */
export const matchesGlob = (text: string, pattern: string): boolean =>
  matchesWildcards(
    text.length,
    pattern.length,
    (index) => pattern[index] === '*',
    (at, index) => pattern[index] === '?' || pattern[index] === text[at],
  )

/**
 * Matches a text against a pattern of wildcards and single-character tests. Backtracks only to the last wildcard, so the time is at most the length of the
 * pattern times the length of the text.
 */
export function matchesWildcards(
  length: number,
  patternLength: number,
  isWildcard: (index: number) => boolean,
  matchesAt: (at: number, index: number) => boolean,
): boolean {
  let at = 0
  let index = 0
  let star = -1
  let resumed = 0
  while (at < length) {
    if (index < patternLength && isWildcard(index)) {
      star = index
      index += 1
      resumed = at
    } else if (index < patternLength && matchesAt(at, index)) {
      at += 1
      index += 1
    } else if (star >= 0) {
      resumed += 1
      at = resumed
      index = star + 1
    } else return false
  }
  while (index < patternLength && isWildcard(index)) index += 1
  return index === patternLength
}
