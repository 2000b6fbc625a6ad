import { parseJson } from '../../json.ts'

/** A parameter as it stands in the address: `region=eu`, `options.full=true`, `size="1"` for the text and `size=1` for the number. */
interface ParameterCriterion {
  readonly path: readonly string[]
  readonly value: unknown
}

export function parseParameterCriterion(word: string): ParameterCriterion | undefined {
  const at = word.indexOf('=')
  const name = word.slice(0, at).trim()
  return at <= 0 || name === '' ? undefined : { path: name.split('.'), value: parseValue(word.slice(at + 1).trim()) }
}

/** JSON where it is some, a text otherwise: nobody wants to type quotes. */
function parseValue(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

type Tree = { [key: string]: unknown }

/** What a run's parameters must hold, all words together. Words that say nothing are passed by; the last one wins where two say different things. */
export function mergeParameterCriteria(words: readonly string[]): Tree | undefined {
  const wanted: Tree = {}
  for (const { path, value } of words.flatMap((word) => parseParameterCriterion(word) ?? [])) {
    let place = wanted
    for (const key of path.slice(0, -1)) {
      const next = Object.hasOwn(place, key) ? place[key] : undefined
      const inner: Tree = typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Tree) : {}
      setOwn(place, key, inner)
      place = inner
    }
    setOwn(place, path.at(-1) as string, value)
  }
  return Object.keys(wanted).length > 0 ? wanted : undefined
}

/** Also under the name `__proto__`, which an assignment would take for something else. */
const setOwn = (place: Tree, key: string, value: unknown) =>
  Object.defineProperty(place, key, { value, enumerable: true, writable: true, configurable: true })
