import type { EventRecord } from '../../lib/event-record.ts'
import { writeJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import { type BlockTypeRow, toBlockTypeResponse } from './type-store.ts'

export function blockTypeEvent(what: 'created' | 'updated' | 'deleted', row: BlockTypeRow, id: string, now: Micros): EventRecord {
  const { id: _id, created: _created, updated: _updated, ...payload } = toBlockTypeResponse(row)
  return {
    id,
    occurred: now,
    event: `prefect.block-type.${what}`,
    resource: { 'prefect.resource.id': `prefect.block-type.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson(payload),
    follows: null,
  }
}
