import { SchemaValidateBody, SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { validateValues } from './validate-values.ts'

export function formValueUiRoutes(context: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/schemas/validate',
        tag: 'UI',
        summary: 'Judge the values of a form by a schema',
        scope: 'server:read',
        body: SchemaValidateBody,
        responses: { 200: SchemaValuesValidationResponse },
      },
      ({ body }) => validateValues(context, body.schema, body.values),
    ),
  ]
}
