/**
 * JavaScript moves keys such as `1` to the front of an object. User data keeps the order of its keys, so the keys get a prefix while they are in
 * an object: it is added to the text of responses and removed from the text of requests.
 */
const prefix = '\uE000'

const integerKey = /^\d+$/
/** A text without such a key needs no change. The match is broad: an escape may stand for a digit. */
const suspectKey = /"[\d\\\uE000][^"\\]*(?:\\.[^"\\]*)*"\s*:/
/** Repeats over runs of characters: a repetition per character exceeds the stack on a text of millions of characters. */
const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g

export const encodeKey = (key: string): string => (integerKey.test(key) || key.startsWith(prefix) ? prefix + key : key)
export const decodeKey = (key: string): string => (key.startsWith(prefix) ? key.slice(prefix.length) : key)

/** Changes the keys of a JSON text. Blanks between a key and its colon are dropped. */
function mapKeys(text: string, change: (key: string) => string): string {
  return text.replaceAll(jsonString, (token) => {
    if (!token.endsWith(':')) return token
    const quoted = token.slice(0, token.lastIndexOf('"') + 1)
    const key = JSON.parse(quoted) as string
    const changed = change(key)
    return changed === key ? token : `${JSON.stringify(changed)}:`
  })
}

export const encodeKeys = (text: string): string => (suspectKey.test(text) ? mapKeys(text, encodeKey) : text)
export const decodeKeys = (text: string): string => (text.includes(prefix) ? mapKeys(text, decodeKey) : text)

/** A `fetch` whose JSON keeps the order of all keys. */
export const fetchInKeyOrder: typeof fetch = async (input, init) => {
  const body = typeof init?.body === 'string' ? { body: decodeKeys(init.body) } : {}
  const response = await fetch(input, { ...init, ...body })
  const { status, statusText, headers } = response
  const text = await response.text()
  return new Response(text === '' ? null : encodeKeys(text), { status, statusText, headers })
}
