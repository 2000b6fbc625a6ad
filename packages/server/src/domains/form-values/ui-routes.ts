import { SchemaValidateBody, SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Parts } from '../../storage/parts.ts'
import { validateValues } from './validate-values.ts'

export function formValueUiRoutes(parts: Parts): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/schemas/validate',
        tag: 'UI',
        summary: 'Judge the values of a form by a schema',
        scope: 'server:read',
        body: SchemaValidateBody,
        answers: { 200: SchemaValuesValidationResponse },
      },
      ({ body }) => validateValues(parts, body.schema, body.values),
    ),
  ]
}
