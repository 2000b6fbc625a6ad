/** JSON source text access, which TypeScript has no types for yet. */
const jsonWithSource = JSON as unknown as {
  rawJSON?: (text: string) => unknown
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}

const longNumberPattern = /[\s:[,]-?\d{16}/

/**
 * Parses JSON without loss of large integers: parameters and results are user data and must be shown and sent back unchanged. A reviver takes three
 * times as long, so it runs only if the text contains such a number.
 */
export function parseJson(text: string): unknown {
  const { rawJSON } = jsonWithSource
  if (!rawJSON || !longNumberPattern.test(text)) return JSON.parse(text)
  return jsonWithSource.parse(text, (_key, value, context) =>
    typeof value === 'number' && context.source && /^-?\d+$/.test(context.source) && !Number.isSafeInteger(value) ? rawJSON(context.source) : value,
  )
}
