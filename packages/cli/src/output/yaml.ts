import { Document, visit } from 'yaml'
import { escapeControlCharacters, isEscaped } from './text-width.ts'

/** TypeScript has no types for raw JSON yet. Node has it since version 22. */
const { isRawJSON } = JSON as unknown as { isRawJSON?: (value: unknown) => value is { readonly rawJSON: string } }

/** YAML of a value of the API, for a terminal. Only texts in double quotes have escapes. */
export function toYaml(value: unknown): string {
  const document = new Document(value, replaceRawNumbers, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && isEscaped(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return escapeControlCharacters(document.toString({ lineWidth: 120 }))
}

/** The client keeps integers above 2⁵³ as raw JSON. */
function replaceRawNumbers(_key: unknown, value: unknown): unknown {
  if (!isRawJSON?.(value)) return value
  return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
}
