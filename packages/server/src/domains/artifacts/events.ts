import type { ResourceLabels } from '../../lib/event-record.ts'
import { rawJson, writeJson } from '../../lib/json.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import type { CollectionRow } from './store.ts'

/** Events of an artifact key, with its latest artifact and the runs that created it. */
export function collectionEvent(what: 'created' | 'updated' | 'deleted', row: CollectionRow, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: `prefect.artifact-collection.${what}`,
    resource: { 'prefect.resource.id': `prefect.artifact-collection.${row.id}`, 'prefect.resource.name': row.key },
    related: [
      related(`prefect.artifact.${row.latest_id}`, 'latest'),
      ...(row.flow_run_id ? [related(`prefect.flow-run.${row.flow_run_id}`, 'flow-run')] : []),
      ...(row.task_run_id ? [related(`prefect.task-run.${row.task_run_id}`, 'task-run')] : []),
    ],
    payload: writeJson({ key: row.key, type: row.type, data: rawJson(row.data), description: row.description }),
    follows: null,
  }
}

const related = (id: string, role: string): ResourceLabels => ({ 'prefect.resource.id': id, 'prefect.resource.role': role })
