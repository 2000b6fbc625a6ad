/** Whether a text matches a pattern in which `*` stands for any text and `?` for one character; case counts. */
export const matchesGlob = (text: string, pattern: string): boolean =>
  matchesWildcards(
    text.length,
    pattern.length,
    (place) => pattern[place] === '*',
    (at, place) => pattern[place] === '?' || pattern[place] === text[at],
  )

/**
 * Whether a text of some length matches a pattern of some places, of which some are stars that stand for any text, and the others fit one character or not.
 * Steps back to the last star only, so that no pattern takes longer than its length times the text's.
 */
export function matchesWildcards(
  length: number,
  patternLength: number,
  isWildcard: (place: number) => boolean,
  matchesAt: (at: number, place: number) => boolean,
): boolean {
  let at = 0
  let place = 0
  let star = -1
  let resumed = 0
  while (at < length) {
    if (place < patternLength && isWildcard(place)) {
      star = place
      place += 1
      resumed = at
    } else if (place < patternLength && matchesAt(at, place)) {
      at += 1
      place += 1
    } else if (star >= 0) {
      resumed += 1
      at = resumed
      place = star + 1
    } else return false
  }
  while (place < patternLength && isWildcard(place)) place += 1
  return place === patternLength
}
