import type { FlowCreate } from '@millrace/contracts/flow.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { flowEvent } from './events.ts'
import { type FlowRow, insertFlow, readFlowByName } from './store.ts'

/** Makes a flow, or answers with the one that has its name, which is left as it is. */
export const createFlow =
  ({ clock, newId }: ServerContext, body: Received<typeof FlowCreate>) =>
  async (tx: Tx): Promise<{ made: boolean; row: FlowRow }> => {
    const known = await readFlowByName(tx, body.name)
    if (known) return { made: false, row: known }
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, name: body.name, tags: jsonText(body.tags), labels: jsonText(body.labels) }
    // Another replica may have made it since.
    if (!(await insertFlow(tx, row))) return { made: false, row: (await readFlowByName(tx, body.name)) as FlowRow }
    tx.emit(flowEvent('created', row, newId(), now))
    return { made: true, row }
  }
