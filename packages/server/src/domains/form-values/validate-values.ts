import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { type Db, statement } from '../../storage/database.ts'
import { faultTree } from './fault-tree.ts'
import { resolvePlaceholders } from './placeholders.ts'
import { BadSchema, type Fault, schemaFaults } from './schema-faults.ts'

const variables = statement('select name, value from variable')

/** Judges the values of a form. Values that only a run knows are taken to be right. */
export async function validateValues(db: Db, schema: object, values: object): Promise<SchemaValuesValidationResponse> {
  const text = jsonText(values)
  const known = text.includes('workspace_variable') ? await db.all<{ name: string; value: string }>(variables) : []
  const resolved = resolvePlaceholders(JSON.parse(text), new Map(known.map(({ name, value }) => [name, JSON.parse(value)])))
  const unresolvable = resolved.unknowns.flatMap(({ path, reason }): Fault[] => (reason === null ? [] : [{ path, message: reason }]))
  const errors = faultTree([...faults(schema, resolved.values), ...unresolvable])
  return { errors, valid: errors.length === 0 }
}

function faults(schema: object, values: unknown): Fault[] {
  try {
    return schemaFaults(jsonText(schema), values)
  } catch (error) {
    if (error instanceof BadSchema) throw invalid(['body', 'schema'], error.message)
    throw error
  }
}
