import { rawJson, writeJson } from '../../lib/json.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import type { BlockDocumentRow } from './document-store.ts'
import { type JsonObject, parseJsonObject } from './json-object.ts'
import type { BlockSchemaRow } from './schema-store.ts'
import { maskSecrets, secretNames, secretPaths } from './secret-fields.ts'
import { type BlockTypeRow, toBlockTypeResponse } from './type-store.ts'

interface DocumentEventInput {
  readonly row: BlockDocumentRow
  readonly schema: BlockSchemaRow
  /** Includes secrets; the event omits them. */
  readonly data: JsonObject
}

/** The payload contains the text fields, without secrets. */
export function documentEvent(
  what: 'created' | 'updated' | 'deleted',
  { row, schema, data }: DocumentEventInput,
  id: string,
  now: Micros,
): ServerEvent {
  const fields = parseJsonObject(schema.fields)
  const secret = new Set(secretNames(fields))
  const shown = Object.entries(maskSecrets(data, secretPaths(fields))).filter(([key, value]) => typeof value === 'string' && !secret.has(key))
  return {
    id,
    occurred: now,
    event: `prefect.block-document.${what}`,
    resource: { 'prefect.resource.id': `prefect.block-document.${row.id}`, 'prefect.resource.name': row.name },
    related: [
      {
        'prefect.resource.id': `prefect.block-type.${row.block_type_id}`,
        'prefect.resource.role': 'block-type',
        'prefect.resource.name': row.block_type_name,
      },
      { 'prefect.resource.id': `prefect.block-schema.${row.block_schema_id}`, 'prefect.resource.role': 'block-schema' },
    ],
    payload: writeJson({
      name: row.name,
      data: Object.fromEntries(shown),
      block_schema: { capabilities: rawJson(schema.capabilities), block_type: { id: row.block_type_id, name: row.block_type_name } },
    }),
    follows: null,
  }
}

export function blockTypeEvent(what: 'created' | 'updated' | 'deleted', row: BlockTypeRow, id: string, now: Micros): ServerEvent {
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

/** Emitted when all secrets are encrypted with a new key. The id of a key is a fingerprint, not the key. */
export function keyRotatedEvent(keyId: string, rotated: number, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: 'millrace.encryption-key.rotated',
    resource: { 'prefect.resource.id': `millrace.encryption-key.${keyId}` },
    related: [],
    payload: JSON.stringify({ rotated }),
    follows: null,
  }
}
