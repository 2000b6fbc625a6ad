import { useState } from 'react'
import { validateValues } from '../../api/schemas.ts'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { flattenSchemaErrors } from '../schema-form/server-errors.ts'
import { type FieldErrors, validateValue } from '../schema-form/validate-value.ts'

/** Validates values by a schema on submit, first here, then on the server. Server errors stay until the values change. */
export function useValidatedValues(schema: Schema | null, values: unknown) {
  const [submitted, setSubmitted] = useState(false)
  const [serverResult, setServerResult] = useState<{ readonly values: unknown; readonly errors: FieldErrors }>()
  const local = isUnparsedInput(values) ? { '': values.error } : schema ? validateValue(schema, schema, values) : {}
  const errors: FieldErrors = submitted ? { ...(serverResult && serverResult.values === values ? serverResult.errors : {}), ...local } : {}
  /** Resolves to true when client and server accept the values. */
  const check = async (): Promise<boolean> => {
    setSubmitted(true)
    if (Object.keys(local).length > 0) return false
    if (!schema) return true
    const { errors: serverErrors } = await validateValues(schema, values as object)
    const found = flattenSchemaErrors(serverErrors)
    setServerResult({ values, errors: found })
    return Object.keys(found).length === 0
  }
  /** Sets errors that the server returned for the actual request. */
  const setServerErrors = (found: FieldErrors) => {
    setSubmitted(true)
    setServerResult({ values, errors: found })
  }
  return { errors, check, setServerErrors }
}
