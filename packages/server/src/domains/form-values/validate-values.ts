import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaValidator } from '../schema-validator.ts'

const allVariables = statement('select name, value from variable')

/** Judges the values of a form. Values that only a run knows are taken to be right. */
export async function validateValues(context: ServerContext, schema: object, values: object): Promise<SchemaValuesValidationResponse> {
  const text = jsonText(values)
  const variables = text.includes('workspace_variable') ? await context.reads.all<{ name: string; value: string }>(allVariables) : []
  const verdict = await schemaValidator(context).validateForm(
    jsonText(schema),
    text,
    variables.map(({ name, value }) => [name, value]),
  )
  if ('badSchema' in verdict) throw invalid(['body', 'schema'], verdict.badSchema)
  return verdict.answer
}
