import { client } from './client.ts'

/** Validates values against a JSON schema on the server. */
export const validateValues = (schema: object, values: object) =>
  client.server.validateSchemaValues({ schema: schema as Record<string, unknown>, values: values as Record<string, unknown> })
