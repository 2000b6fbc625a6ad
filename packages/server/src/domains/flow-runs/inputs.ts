import type { FlowRunInput, FlowRunInputFilterBody } from '@millrace/contracts/flow-run-input.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { sql } from 'kysely'
import { alreadyExists, notFound } from '../../errors.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { prefixPattern } from '../../storage/dialect.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { flowRunExists } from './store.ts'

type InputRow = Row<'flow_run_input'>

export const toInputResponse = (row: InputRow): FlowRunInput => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  flow_run_id: row.flow_run_id,
  key: row.key,
  value: row.value,
  sender: row.sender,
})

const byKey = statement('select * from flow_run_input where flow_run_id = $1 and key = $2')
const remove = statement('delete from flow_run_input where flow_run_id = $1 and key = $2')

export const readInput = (db: Db, flowRunId: string, key: string): Promise<InputRow | undefined> => db.first<InputRow>(byKey, [flowRunId, key])

/** Returns false if the input does not exist. */
export const removeInput = async (tx: Tx, flowRunId: string, key: string): Promise<boolean> => (await tx.run(remove, [flowRunId, key])) > 0

/** Stores an input of a flow run under a new key. */
export const addInput =
  ({ clock, newId }: ServerContext, flowRunId: string, input: Pick<InputRow, 'key' | 'value' | 'sender'>) =>
  async (tx: Tx): Promise<void> => {
    if (!(await flowRunExists(tx, flowRunId))) throw notFound('Flow run')
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, flow_run_id: flowRunId, ...input }
    const added = await tx.insert('flow_run_input', [row], { onConflict: 'on conflict (flow_run_id, key) do nothing' })
    if (added === 0) throw alreadyExists(`An input of this flow run with the key "${input.key}"`)
  }

const lazy = lazyColumns('flow_run_input', ['value'])

/** The inputs whose keys start with the prefix, oldest first. The prefix may contain `%`; keys cannot. */
export async function listInputs(
  db: Db,
  flowRunId: string,
  { prefix, limit, exclude_keys }: Received<typeof FlowRunInputFilterBody>,
): Promise<InputRow[]> {
  const excluded = exclude_keys.length === 0 ? sql`` : sql`and not ${db.dialect.isIn(sql`key`, exclude_keys, 'text')}`
  const { rows } = await sql<InputRow>`select ${selectLazyColumns(lazy, db)} from flow_run_input
    where flow_run_id = ${flowRunId} and ${db.dialect.isLike(sql`key`, prefixPattern(prefix))} ${excluded}
    order by created, id limit ${limit}`.execute(db.kysely)
  return lazy.fetch(db, rows)
}
