import { LazyJson, serializeParts } from './json.ts'
import { pieceCharacters, splitText } from './text-pieces.ts'
import { yieldToEventLoop } from './time-slice.ts'

/** Longer responses are streamed, because a string is limited to 512 MB and is held in memory as a whole. */
const unstreamedCharactersMax = 32 * 1024 * 1024

/** Serializes a response: a text, or a stream if it is long or has lazy parts. */
export function serializeResponse(value: unknown): string | AsyncIterable<string> {
  let parts: ReturnType<typeof serializeParts>
  try {
    parts = serializeParts(value)
  } catch (error) {
    // Longer than the maximum string length.
    if (error instanceof RangeError) return streamParts(itemsOf(value))
    throw error
  }
  const { between, within } = parts
  if (within.length === 0) {
    const text = between[0] as string
    return text.length > unstreamedCharactersMax ? streamParts([parts]) : text
  }
  let length = 0
  for (const piece of within) length += piece instanceof LazyJson ? unstreamedCharactersMax + 1 : piece.length
  for (const text of between) length += text.length
  if (length > unstreamedCharactersMax) return streamParts([parts])
  const texts = [between[0] as string]
  for (let i = 1; i < between.length; i += 1) texts.push(within[i - 1] as string, between[i] as string)
  return texts.join('')
}

type SerializedParts = ReturnType<typeof serializeParts>

async function* streamParts(all: Iterable<SerializedParts>): AsyncGenerator<string> {
  let held = ''
  for (const { between, within } of all) {
    for (const [index, text] of between.entries()) {
      held += text
      const piece = within[index]
      if (piece instanceof LazyJson) {
        for await (const short of await piece.load()) {
          yield held + short
          held = ''
          // A fast client never applies back-pressure, so the loop has to yield by itself.
          await yieldToEventLoop()
        }
        continue
      }
      if (piece !== undefined) held += piece
      if (held.length < pieceCharacters) continue
      for (const short of splitText(held)) {
        yield short
        await yieldToEventLoop()
      }
      held = ''
    }
  }
  if (held !== '') yield held
}

/** Serializes lists and objects item by item, two levels deep: a page is a list, or an object that contains one. */
function* itemsOf(value: unknown, depth = 2): Generator<SerializedParts> {
  if (depth === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield serializeParts(value)
    return
  }
  const isList = Array.isArray(value)
  const literal = (text: string): SerializedParts => ({ between: [text], within: [] })
  let mark = isList ? '[' : '{'
  for (const [key, inner] of isList ? value.entries() : Object.entries(value)) {
    if (inner === undefined && !isList) continue
    yield literal(isList ? mark : `${mark}${JSON.stringify(key)}:`)
    yield* itemsOf(inner, depth - 1)
    mark = ','
  }
  yield literal(`${mark === ',' ? '' : mark}${isList ? ']' : '}'}`)
}
