import { parseJson } from '@millrace/client/json.ts'

/** A parameter filter as the URL spells it: `region=eu`, `options.full=true`, `size="1"` for text and `size=1` for a number. */
interface ParameterCriterion {
  readonly path: readonly string[]
  readonly value: unknown
}

export function parseParameterCriterion(criterion: string): ParameterCriterion | undefined {
  const at = criterion.indexOf('=')
  const name = criterion.slice(0, at).trim()
  return at <= 0 || name === '' ? undefined : { path: name.split('.'), value: parseValue(criterion.slice(at + 1).trim()) }
}

/** Reads JSON, or text when it is not valid JSON, so that text needs no quotes. */
function parseValue(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

type Tree = { [key: string]: unknown }

/** Combines criteria into one object that the run's parameters must contain. Skips invalid criteria. The last of two conflicting ones wins. */
export function mergeParameterCriteria(criteria: readonly string[]): Tree | undefined {
  const merged: Tree = {}
  for (const { path, value } of criteria.flatMap((criterion) => parseParameterCriterion(criterion) ?? [])) {
    let target = merged
    for (const key of path.slice(0, -1)) {
      const next = Object.hasOwn(target, key) ? target[key] : undefined
      const inner: Tree = typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Tree) : {}
      setOwn(target, key, inner)
      target = inner
    }
    setOwn(target, path.at(-1) as string, value)
  }
  return Object.keys(merged).length > 0 ? merged : undefined
}

/** An assignment to `__proto__` would change the prototype. */
const setOwn = (target: Tree, key: string, value: unknown) =>
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
