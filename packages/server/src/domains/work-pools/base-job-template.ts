import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isObject } from '../../lib/json-exact.ts'
import { refusalOf, schemaRefusal } from '../../lib/json-schema.ts'

/** `{{ name }}`, in a text or in a key, however deep. */
const placeholder = /\{\{\s*([\w.\-[\]$]+)\s*\}\}/g

/** A template is empty, or has both of its parts, and declares every variable that its job configuration uses. */
export function checkTemplate(template: Readonly<Record<string, unknown>>): void {
  if (Object.keys(template).length === 0) return
  const { job_configuration: configuration, variables } = template
  if (!isFilled(configuration) || !isFilled(variables)) throw refused('must have a `job_configuration` and `variables`', template)
  const used = new Set([...JSON.stringify(Object.values(configuration)).matchAll(placeholder)].map(([, name]) => name as string))
  const declared = isObject(variables.properties) ? variables.properties : {}
  const undeclared = [...used].filter((name) => !Object.hasOwn(declared, name))
  if (undeclared.length > 0)
    throw refused(`uses variables that are not among the properties of its \`variables\`: ${undeclared.join(', ')}`, template)
}

const refused = (why: string, template: unknown) => invalid(['body', 'base_job_template'], `The base job template ${why}`, template)

const isFilled = (value: unknown): value is Record<string, unknown> => isObject(value) && Object.keys(value).length > 0

/** The blocks that defaults of a template's variables name, as they name them. */
export function namedBlocks({ variables }: Readonly<Record<string, unknown>>): string[] {
  const properties = isObject(variables) && isObject(variables.properties) ? Object.values(variables.properties) : []
  return properties.flatMap((property) => {
    const reference = isObject(property) && isObject(property.default) ? property.default.$ref : undefined
    return isObject(reference) && reference.block_document_id != null ? [String(reference.block_document_id)] : []
  })
}

/** The defaults of a new template's variables fit their own schema. Those that name a block are filled in where a job starts. */
export function checkDefaults(template: Readonly<Record<string, unknown>>): void {
  const { variables } = template
  if (!isObject(variables)) return
  const schema = jsonText(variables)
  const properties = Object.entries(isObject(variables.properties) ? variables.properties : {})
  const defaults = properties.flatMap(([name, property]) =>
    isObject(property) && 'default' in property && !(isObject(property.default) && '$ref' in property.default) ? [[name, property.default]] : [],
  )
  const refusal =
    schemaRefusal(schema) ??
    refusalOf(schema, JSON.parse(JSON.stringify(Object.fromEntries(defaults))), { mend: true, nullForDefaults: true, ignoreRequired: true })
  if (refusal)
    throw refused(
      `has ${refusal.kind === 'value' ? 'defaults that do not fit' : 'variables that are no schema'}: ${refusal.place} ${refusal.reason}`,
      template,
    )
}
