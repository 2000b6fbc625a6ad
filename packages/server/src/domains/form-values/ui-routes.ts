import { SchemaValidateBody, SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaValidator } from '../schema-validator.ts'
import { readAllVariables } from '../variables/store.ts'

export function formValueUiRoutes(context: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/schemas/validate',
        tag: 'UI',
        summary: 'Validate form values',
        description: 'Templates that only a run can render count as valid.',
        scope: 'server:read',
        kind: 'query',
        body: SchemaValidateBody,
        responses: { 200: SchemaValuesValidationResponse },
      },
      ({ body }) => validateValues(context, body.schema, body.values),
    ),
  ]
}

/** Validates form values. Templates that only a run can render count as valid. */
async function validateValues(context: ServerContext, schema: object, values: object): Promise<SchemaValuesValidationResponse> {
  const text = jsonText(values)
  const variables = text.includes('workspace_variable') ? [...(await readAllVariables(context.reads))] : []
  const result = await schemaValidator(context).validateForm(jsonText(schema), text, variables)
  if ('badSchema' in result) throw invalid(['body', 'schema'], result.badSchema)
  return result.answer
}
