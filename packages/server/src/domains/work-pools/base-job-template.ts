import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readBlockData } from '../blocks/load-block.ts'
import { schemaValidator } from '../schema-validator.ts'

/** `{{ name }}` in values and keys, at any depth. */
const placeholder = /\{\{\s*([\w.\-[\]$]+)\s*\}\}/g

/** Checks that a template is empty, or has both parts and declares every variable that its job configuration uses. */
export function validateTemplate(template: Readonly<Record<string, unknown>>): void {
  if (Object.keys(template).length === 0) return
  const { job_configuration: configuration, variables } = template
  if (!isNonEmptyObject(configuration) || !isNonEmptyObject(variables))
    throw templateError('must have a `job_configuration` and `variables`', template)
  const used = new Set([...JSON.stringify(Object.values(configuration)).matchAll(placeholder)].map(([, name]) => name as string))
  const declared = isJsonObject(variables.properties) ? variables.properties : {}
  const undeclared = [...used].filter((name) => !Object.hasOwn(declared, name))
  if (undeclared.length > 0) throw templateError(`uses variables that are missing in \`variables.properties\`: ${undeclared.join(', ')}`, template)
}

const templateError = (why: string, template: unknown) => invalid(['body', 'base_job_template'], `The base job template ${why}`, template)

const isNonEmptyObject = (value: unknown): value is Record<string, unknown> => isJsonObject(value) && Object.keys(value).length > 0

/** Checks the defaults of a new template against its own schema. A default that references a block is replaced by the block's data. */
export async function validateDefaults(context: ServerContext, template: Readonly<Record<string, unknown>>): Promise<void> {
  if (!isNonEmptyObject(template.variables)) return
  const refusal = await schemaValidator(context).checkTemplateDefaults(jsonText(template), (ids) => readBlockData(context, context.reads, ids))
  if (!refusal) return
  if (refusal.kind === 'limit') throw invalid(['body', 'base_job_template'], refusal.reason)
  const problem = refusal.kind === 'value' ? 'invalid defaults' : 'an invalid schema of variables'
  throw templateError(`has ${problem}: ${refusal.path} ${refusal.reason}`, template)
}
