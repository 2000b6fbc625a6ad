/** Search parameters of a URL: plain text, a repeated key for each value. People read, edit and share these URLs. */
export type SearchParams = Record<string, string | readonly string[]>

export function parseSearch(text: string): SearchParams {
  const found = new URLSearchParams(text)
  // Not by assignment: a parameter may be named `__proto__`.
  return Object.fromEntries(
    [...new Set(found.keys())].map((key) => {
      const values = found.getAll(key)
      return [key, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}

/** For `validateSearch`: the router takes parameters that `read` leaves out from the URL as they are, so that an unknown tab would reach the page. */
export const onlyValid =
  <T extends object>(read: (params: Record<string, unknown>) => T) =>
  (params: Record<string, unknown>): T => ({ ...Object.fromEntries(Object.keys(params).map((key) => [key, undefined])), ...read(params) })

export function stringifySearch(params: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null && each !== '') search.append(key, String(each))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** Reads a parameter as a list of non-empty strings. */
export const readStrings = (value: unknown): string[] | undefined => {
  const values = (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string' && each !== '')
  return values.length > 0 ? values : undefined
}

export const readString = (value: unknown): string | undefined => readStrings(value)?.[0]

/** Page number from 2. It is text in a URL and a number in links of the dashboard. */
export const readPage = (value: unknown): number | undefined => {
  const found = Number(typeof value === 'number' ? value : readString(value))
  return Number.isInteger(found) && found > 1 ? found : undefined
}
