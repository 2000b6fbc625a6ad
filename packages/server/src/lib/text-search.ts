/** A parsed search query. */
export interface TextSearch {
  /** At least one of these must match. */
  readonly any: readonly string[]
  /** None of these may match: `-word` or `!word`. */
  readonly none: readonly string[]
  /** All of these must match: `+word`. */
  readonly all: readonly string[]
}

/** An optional sign directly before a quoted phrase (the last quote may be missing) or a word. */
const term = /([-!+](?=\S))?(?:"((?:\\.|[^"\\]|\\$)*)"?|([^\s"]+))/gs

const signs = new Set(['-', '!', '+'])

export function parseTextSearch(query: string): TextSearch {
  const found = { any: [] as string[], none: [] as string[], all: [] as string[] }
  for (const [, sign, phrase, word] of query.matchAll(term)) {
    const text = phrase === undefined ? (word as string) : phrase.replaceAll(/\\(["\\])/g, '$1')
    // A sign without a word is ignored.
    if (text.trim() === '' || (sign === undefined && word !== undefined && signs.has(word))) continue
    const list = sign === undefined ? found.any : sign === '+' ? found.all : found.none
    list.push(text)
  }
  return found
}
