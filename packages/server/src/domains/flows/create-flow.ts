import type { FlowCreate } from '@millrace/contracts/flow.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { flowEvent } from './events.ts'
import { type FlowRow, insertFlow, readFlowByName } from './store.ts'

/** Creates a flow, or returns the existing flow with this name, unchanged. */
export const createFlow =
  ({ clock, newId }: ServerContext, body: Received<typeof FlowCreate>) =>
  async (tx: Tx): Promise<{ isNew: boolean; row: FlowRow }> => {
    const existing = await readFlowByName(tx, body.name)
    if (existing) return { isNew: false, row: existing }
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, name: body.name, tags: jsonText(body.tags), labels: jsonText(body.labels) }
    // Another replica may have created it since.
    if (!(await insertFlow(tx, row))) return { isNew: false, row: (await readFlowByName(tx, body.name)) as FlowRow }
    tx.emit(flowEvent('created', row, newId(), now))
    return { isNew: true, row }
  }
