import { stringify } from 'yaml'

/** TypeScript has no types for raw JSON yet. Node has it since version 22. */
const { isRawJSON } = JSON as unknown as { isRawJSON?: (value: unknown) => value is { readonly rawJSON: string } }

/** YAML of a value of the API. */
export const toYaml = (value: unknown): string => stringify(value, replaceRawNumbers, { lineWidth: 120, aliasDuplicateObjects: false })

/** The client keeps integers above 2⁵³ as raw JSON. */
function replaceRawNumbers(_key: unknown, value: unknown): unknown {
  if (!isRawJSON?.(value)) return value
  return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
}
