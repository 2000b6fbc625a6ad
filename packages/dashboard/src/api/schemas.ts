import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { call } from './client.ts'

/** The server's judgement of values by a JSON schema, at their places. */
export const validateValues = (schema: object, values: object) =>
  call<SchemaValuesValidationResponse>('POST', '/ui/schemas/validate', { body: { schema, values } })
