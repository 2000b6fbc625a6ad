import { useState } from 'react'
import { validateValues } from '../../api/form-values.ts'
import { type Faults, faultsIn } from '../schema-form/check-value.ts'
import { isUnfinished } from '../schema-form/field-kind.ts'
import type { Schema } from '../schema-form/schema-shape.ts'
import { placedFaults } from '../schema-form/server-faults.ts'

/** Values that are judged by a schema when they are sent: first here, then by the server. Its faults stay until the values change. */
export function useCheckedValues(schema: Schema | null, values: unknown) {
  const [tried, setTried] = useState(false)
  const [found, setFound] = useState<{ readonly values: unknown; readonly faults: Faults }>()
  const local = isUnfinished(values) ? { '': values.fault } : schema ? faultsIn(schema, schema, values) : {}
  const errors: Faults = tried ? { ...(found && found.values === values ? found.faults : {}), ...local } : {}
  /** Whether nobody has anything against them. */
  const check = async (): Promise<boolean> => {
    setTried(true)
    if (Object.keys(local).length > 0) return false
    if (!schema) return true
    const { errors: refused } = await validateValues(schema, values as object)
    const faults = placedFaults(refused)
    setFound({ values, faults })
    return Object.keys(faults).length === 0
  }
  /** What the server said of them later, when it was asked to use them. */
  const refuse = (faults: Faults) => {
    setTried(true)
    setFound({ values, faults })
  }
  return { errors, check, refuse }
}
