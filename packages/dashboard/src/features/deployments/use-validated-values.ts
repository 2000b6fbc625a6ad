import { useState } from 'react'
import { validateValues } from '../../api/schemas.ts'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { flattenSchemaErrors } from '../schema-form/server-errors.ts'
import { type FieldErrors, validateValue } from '../schema-form/validate-value.ts'

/** Values that are judged by a schema when they are sent: first here, then by the server. Its faults stay until the values change. */
export function useValidatedValues(schema: Schema | null, values: unknown) {
  const [tried, setTried] = useState(false)
  const [found, setFound] = useState<{ readonly values: unknown; readonly faults: FieldErrors }>()
  const local = isUnparsedInput(values) ? { '': values.error } : schema ? validateValue(schema, schema, values) : {}
  const errors: FieldErrors = tried ? { ...(found && found.values === values ? found.faults : {}), ...local } : {}
  /** Whether nobody has anything against them. */
  const check = async (): Promise<boolean> => {
    setTried(true)
    if (Object.keys(local).length > 0) return false
    if (!schema) return true
    const { errors: refused } = await validateValues(schema, values as object)
    const faults = flattenSchemaErrors(refused)
    setFound({ values, faults })
    return Object.keys(faults).length === 0
  }
  /** What the server said of them later, when it was asked to use them. */
  const refuse = (faults: FieldErrors) => {
    setTried(true)
    setFound({ values, faults })
  }
  return { errors, check, refuse }
}
