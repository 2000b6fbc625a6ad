import { invalid } from '../../errors.ts'
import { refusalOf, type SchemaRefusal, schemaRefusal } from '../../lib/json-schema.ts'

interface Template {
  /** JSON text of the schema of variables. */
  readonly schema: string
  readonly defaults: Readonly<Record<string, unknown>>
  /** Whether every default is known and valid: if not, a required variable may have one after all. */
  readonly complete: boolean
}

const templates = new Map<string, Template | null>()
const templatesMax = 100

/** What a pool's base job template, as JSON text, says of variables; null when it says nothing. */
function templateOf(text: string): Template | null {
  let known = templates.get(text)
  if (known === undefined) {
    known = readTemplate(text)
    if (templates.size >= templatesMax) templates.delete(templates.keys().next().value as string)
    templates.set(text, known)
  }
  return known
}

function readTemplate(text: string): Template | null {
  const { variables } = JSON.parse(text) as { variables?: Record<string, unknown> }
  if (!variables || Object.keys(variables).length === 0) return null
  const schema = JSON.stringify(variables)
  const defaults: Record<string, unknown> = {}
  let complete = true
  for (const [name, property] of Object.entries((variables.properties ?? {}) as Record<string, { default?: unknown }>)) {
    if (typeof property !== 'object' || property === null || !('default' in property)) continue
    // A default that names a block is filled in where the job starts; one that is wrong has always been let pass.
    if (isReference(property.default) || refusalOf(schema, { [name]: property.default }, { ignoreRequired: true })) complete = false
    else defaults[name] = property.default
  }
  return { schema, defaults, complete }
}

const isReference = (value: unknown): boolean => typeof value === 'object' && value !== null && '$ref' in value

/**
 * Why job variables are not those that a pool asks for, in a sentence. Required ones count only where nothing can be added any
 * more: for a run.
 */
export function jobVariablesRefusal(template: string, layers: readonly string[], options: { partial: boolean }): string | undefined {
  const known = template === '{}' ? null : templateOf(template)
  if (!known) return undefined
  const bad = schemaRefusal(known.schema)
  if (bad) return `The pool's schema of job variables is not valid: ${sentence(bad)}`
  const variables = Object.assign({}, known.defaults, ...layers.map((text) => JSON.parse(text) as object))
  const ignoreRequired = options.partial || !known.complete
  const refusal = refusalOf(known.schema, variables, { mend: true, nullForDefaults: true, ignoreRequired })
  return refusal && sentence(refusal)
}

const sentence = ({ place, reason }: SchemaRefusal): string => `${place ? `The job variable "${place}"` : 'The job variables'} ${reason}`

export function refuseJobVariables(template: string, layers: readonly string[], options: { partial: boolean }): void {
  const refusal = jobVariablesRefusal(template, layers, options)
  if (refusal) throw invalid(['body', 'job_variables'], refusal)
}
