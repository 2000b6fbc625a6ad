import { baseColumns, json, text, uuid } from '../columns.ts'
import { toStandardJson } from '../standard-json.ts'
import type { SourceRow, Step } from '../step.ts'

const content = {
  type: text(),
  description: text(),
  data: json(),
  metadata_: json(),
  flow_run_id: uuid(),
  task_run_id: uuid(),
}

/** These columns contain JSON nulls, and numbers that are not valid JSON. */
const withStandardJson = (row: SourceRow): SourceRow => ({ ...row, data: toStandardJson(row.data), metadata_: toStandardJson(row.metadata_) })

const artifacts: Step = {
  name: 'artifact',
  noun: 'artifacts',
  from: 'artifact',
  to: 'artifact',
  columns: { ...baseColumns, key: text(), ...content },
  write: async (_adoption, tx, rows) => void (await tx.insert('artifact', rows.map(withStandardJson))),
}

const collections: Step = {
  name: 'artifact_collection',
  noun: 'artifact collections',
  from: 'artifact_collection',
  to: 'artifact_collection',
  columns: { ...baseColumns, key: text(), latest_id: uuid(), ...content },
  write: async (_adoption, tx, rows) => void (await tx.insert('artifact_collection', rows.map(withStandardJson))),
}

export const artifactSteps: readonly Step[] = [artifacts, collections]
