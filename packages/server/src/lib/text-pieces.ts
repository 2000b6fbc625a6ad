/**
 * Pieces of at most this many characters are garbage that V8 collects cheaply, strings and buffers alike. Longer ones stay until the next collection of the old
 * generation: four pages with lines of a megabyte took 100 MB.
 */
export const pieceCharacters = 60 * 1024

/** Splits a text without splitting a character. */
export function* splitText(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceCharacters, text.length)
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to += 1
    yield text.slice(from, to)
    from = to
  }
}

/** The pieces of a text as JSON. */
export function* quoteInPieces(text: string): Generator<string> {
  let quote = '"'
  for (const piece of splitText(text)) {
    yield quote + JSON.stringify(piece).slice(1, -1)
    quote = ''
  }
  yield `${quote}"`
}

/** Characters that are read at once. As a text of one-byte characters it is the largest that V8 collects cheaply. */
const readCharacters = 2 * pieceCharacters

/** The same for a text that is read in parts. `read` returns up to a number of characters from an index on, and null if there is no text. */
export async function* quoteWhileReading(read: (from: number, characters: number) => Promise<string | null>): AsyncGenerator<string> {
  let quote = '"'
  for (let from = 0; ; from += readCharacters) {
    const part = await read(from, readCharacters)
    if (part === null && from === 0) return yield 'null'
    for (const piece of splitText(part ?? '')) {
      yield quote + JSON.stringify(piece).slice(1, -1)
      quote = ''
    }
    // A character of two UTF-16 units counts once.
    if ((part ?? '').length < readCharacters) return yield `${quote}"`
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00
