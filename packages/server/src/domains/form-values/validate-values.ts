import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { statement } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { schemaValidator } from '../schema-validator.ts'

const allVariables = statement('select name, value from variable')

/** Judges the values of a form. Values that only a run knows are taken to be right. */
export async function validateValues(parts: Parts, schema: object, values: object): Promise<SchemaValuesValidationResponse> {
  const text = jsonText(values)
  const variables = text.includes('workspace_variable') ? await parts.reads.all<{ name: string; value: string }>(allVariables) : []
  const verdict = await schemaValidator(parts).validateForm(
    jsonText(schema),
    text,
    variables.map(({ name, value }) => [name, value]),
  )
  if ('badSchema' in verdict) throw invalid(['body', 'schema'], verdict.badSchema)
  return verdict.answer
}
