/** JSON source text access, which TypeScript has no types for yet. Node has it since version 22. */
const jsonWithSource = JSON as unknown as {
  rawJSON?: (text: string) => unknown
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}

const longNumberPattern = /[\s:[,]-?\d{16}/

/**
 * Parses JSON without loss of large integers: parameters and results are user data and must be shown and sent back unchanged. A reviver takes three
 * times as long, so it runs only if the text contains such a number. With `exactNumbers` every number keeps its spelling (`1.0`, `1e3`).
 */
export function parseJson(text: string, exactNumbers = false): unknown {
  const { rawJSON } = jsonWithSource
  if (!rawJSON || !(exactNumbers || longNumberPattern.test(text))) return JSON.parse(text)
  const keepsSource = exactNumbers ? isRespelled : isUnsafeInteger
  return jsonWithSource.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && keepsSource(value, source) ? rawJSON(source) : value,
  )
}

const isRespelled = (value: number, source: string): boolean => String(value) !== source
const isUnsafeInteger = (value: number, source: string): boolean => /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
