/** What a person typed into a search box, taken apart. */
export interface TextSearch {
  /** Any of these will do. */
  readonly any: readonly string[]
  /** None of these may be there: `-word` or `!word`. */
  readonly none: readonly string[]
  /** All of these must be there: `+word`. */
  readonly all: readonly string[]
}

/** A sign that stands right before a word, then a phrase in quotes (the last may be left open) or a word. */
const term = /([-!+](?=\S))?(?:"((?:\\.|[^"\\]|\\$)*)"?|([^\s"]+))/gs

const signs = new Set(['-', '!', '+'])

export function parseTextSearch(query: string): TextSearch {
  const found = { any: [] as string[], none: [] as string[], all: [] as string[] }
  for (const [, sign, phrase, word] of query.matchAll(term)) {
    const text = phrase === undefined ? (word as string) : phrase.replaceAll(/\\(["\\])/g, '$1')
    // A sign with nothing after it says nothing.
    if (text.trim() === '' || (sign === undefined && word !== undefined && signs.has(word))) continue
    const list = sign === undefined ? found.any : sign === '+' ? found.all : found.none
    list.push(text)
  }
  return found
}
