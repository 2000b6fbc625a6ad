/** What newer browsers can do and TypeScript does not know yet. */
const jsonWithSource = JSON as unknown as {
  rawJSON?: (text: string) => unknown
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}

const longNumberPattern = /[\s:[,]-?\d{16}/

/**
 * Reads JSON without harm to numbers beyond what JavaScript holds: parameters and results are other people's data, and what is shown or sent
 * back must be what came. A reviver takes three times as long, so it is used only where such a number may be.
 */
export function parseJson(text: string): unknown {
  const { rawJSON } = jsonWithSource
  if (!rawJSON || !longNumberPattern.test(text)) return JSON.parse(text)
  return jsonWithSource.parse(text, (_key, value, context) =>
    typeof value === 'number' && context.source && /^-?\d+$/.test(context.source) && !Number.isSafeInteger(value) ? rawJSON(context.source) : value,
  )
}
