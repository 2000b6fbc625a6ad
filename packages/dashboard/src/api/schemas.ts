import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { call } from './client.ts'

/** Validates values against a JSON schema on the server. */
export const validateValues = (schema: object, values: object) =>
  call<SchemaValuesValidationResponse>('POST', '/ui/schemas/validate', { body: { schema, values } })
