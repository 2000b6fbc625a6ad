/** One value in both runs, by path (`options.full`, `tables.0`). Undefined where a run has none. */
export interface Difference {
  readonly path: string
  readonly a: unknown
  readonly b: unknown
  readonly same: boolean
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !((JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false)

/** Lists the values of both. Objects and lists in both are compared by their members. */
export function diffValues(a: unknown, b: unknown, path = ''): Difference[] {
  if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    if (keys.length > 0) return keys.flatMap((key) => diffValues(getOwn(a, key), getOwn(b, key), path === '' ? key : `${path}.${key}`))
  }
  return [{ path, a, b, same: JSON.stringify(a) === JSON.stringify(b) }]
}

const getOwn = (tree: object, key: string): unknown => (Object.hasOwn(tree, key) ? (tree as Record<string, unknown>)[key] : undefined)
