/**
 * Whether a text matches a pattern in which `*` stands for any text and `?` for one character; case counts. Steps back to the last star
 * only, so that no pattern takes longer than its length times the text's.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0
  let wanted = 0
  let star = -1
  let resumed = 0
  while (at < text.length) {
    if (wanted < pattern.length && pattern[wanted] === '*') {
      star = wanted
      wanted += 1
      resumed = at
    } else if (wanted < pattern.length && (pattern[wanted] === '?' || pattern[wanted] === text[at])) {
      at += 1
      wanted += 1
    } else if (star >= 0) {
      resumed += 1
      at = resumed
      wanted = star + 1
    } else return false
  }
  while (pattern[wanted] === '*') wanted += 1
  return wanted === pattern.length
}
