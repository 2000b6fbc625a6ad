import type { Received } from '@millrace/contracts/primitives.ts'
import type { VariableCreate, VariableUpdate } from '@millrace/contracts/variable.ts'
import { alreadyExists, InvalidRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { assertNotNull } from '../request-params.ts'
import { variableEvent } from './events.ts'
import { deleteVariable, insertVariable, lockVariable, readVariable, updateVariable, type VariableKey, type VariableRow } from './store.ts'

/** Maximum size of a value, in bytes of JSON. */
const valueBytesMax = 5000

const nameTaken = (name: string) => alreadyExists(`A variable by the name ${name}`)

/** Serializes a value; throws if it is too long. */
function valueText(value: unknown): string {
  const text = jsonText(value)
  if (Buffer.byteLength(text) <= valueBytesMax) return text
  const msg = `The value of a variable must be at most ${valueBytesMax} bytes of JSON`
  throw new InvalidRequest([{ loc: ['body', 'value'], type: 'value_error', msg, ctx: { error: msg } }])
}

export function createVariable({ clock, newId }: ServerContext, body: Received<typeof VariableCreate>) {
  const value = valueText(body.value)
  return async (tx: Tx): Promise<VariableRow> => {
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, name: body.name, value, tags: jsonText(body.tags) }
    // Read first: on PostgreSQL a rejection after a write makes the write queue retry the whole batch.
    if ((await readVariable(tx, { name: body.name })) || !(await insertVariable(tx, row))) throw nameTaken(body.name)
    tx.emit(variableEvent('created', row, newId(), now))
    return row
  }
}

/** Updates the given fields. A null value is stored as null. */
export function changeVariable({ clock, newId }: ServerContext, key: VariableKey, body: VariableUpdate) {
  const value = body.value === undefined ? undefined : valueText(body.value)
  return async (tx: Tx): Promise<void> => {
    const row = await lockVariable(tx, key)
    if (!row) throw notFound('Variable')
    assertNotNull(body, 'name', 'tags')
    const now = clock.now()
    const next = { ...row, updated: now, name: body.name ?? row.name, value: value ?? row.value, tags: body.tags ? jsonText(body.tags) : row.tags }
    if (next.name !== row.name && (await readVariable(tx, { name: next.name }))) throw nameTaken(next.name)
    await updateVariable(tx, next).catch((error) => {
      throw tx.dialect.isUniqueViolation(error) ? nameTaken(next.name) : error
    })
    tx.emit(variableEvent('updated', next, newId(), now))
  }
}

export const removeVariable =
  ({ clock, newId }: ServerContext, key: VariableKey) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockVariable(tx, key)
    if (!row) throw notFound('Variable')
    await deleteVariable(tx, row.id)
    tx.emit(variableEvent('deleted', row, newId(), clock.now()))
  }
