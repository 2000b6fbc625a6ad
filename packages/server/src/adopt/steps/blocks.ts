import { keyringOf } from '../../domains/blocks/keyring.ts'
import { baseColumns, bool, json, text, uuid } from '../columns.ts'
import { parseToken } from '../secrets.ts'
import type { Step } from '../step.ts'

const types: Step = {
  name: 'block_type',
  noun: 'block types',
  from: 'block_type',
  to: 'block_type',
  columns: {
    ...baseColumns,
    name: text(),
    slug: text(),
    logo_url: text(),
    documentation_url: text(),
    description: text(),
    code_example: text(),
    is_protected: bool(false),
  },
}

const schemas: Step = {
  name: 'block_schema',
  noun: 'block schemas',
  from: 'block_schema',
  to: 'block_schema',
  requiredReferences: { block_type_id: 'block_type' },
  columns: { ...baseColumns, block_type_id: uuid(), checksum: text(), fields: json('{}'), capabilities: json('[]'), version: text('non-versioned') },
}

const references: Step = {
  name: 'block_schema_reference',
  noun: 'block schema references',
  from: 'block_schema_reference',
  to: 'block_schema_reference',
  requiredReferences: { parent_block_schema_id: 'block_schema', reference_block_schema_id: 'block_schema' },
  skipRules: [
    {
      where: `exists (select 1 from block_schema_reference other where other.parent_block_schema_id = block_schema_reference.parent_block_schema_id
        and other.reference_block_schema_id = block_schema_reference.reference_block_schema_id and other.name = block_schema_reference.name
        and other.id < block_schema_reference.id)`,
      reason: 'duplicate',
    },
  ],
  ignoredColumns: ['created', 'updated'],
  columns: { id: uuid(), parent_block_schema_id: uuid(), reference_block_schema_id: uuid(), name: text() },
}

const documents: Step = {
  name: 'block_document',
  noun: 'block documents',
  from: 'block_document',
  to: 'block_document',
  requiredReferences: { block_type_id: 'block_type', block_schema_id: 'block_schema' },
  joins: 'join block_type kind on kind.id = block_document.block_type_id',
  ignoredColumns: ['block_type_name'],
  columns: {
    ...baseColumns,
    name: text(),
    block_type_id: uuid(),
    block_type_name: text(undefined, 'kind.name'),
    block_schema_id: uuid(),
    is_anonymous: bool(false),
    data: json(),
  },
  prepare: ({ context }) => keyringOf(context).open(),
  async write({ context, secrets }, tx, rows) {
    const keyring = keyringOf(context)
    await tx.insert(
      'block_document',
      rows.map((row) => ({ ...row, ...keyring.encrypt(String(row.id), secrets(parseToken(String(row.data)))) })),
    )
  },
}

const documentReferences: Step = {
  name: 'block_document_reference',
  noun: 'block document references',
  from: 'block_document_reference',
  to: 'block_document_reference',
  requiredReferences: { parent_block_document_id: 'block_document', reference_block_document_id: 'block_document' },
  skipRules: [
    {
      where: `exists (select 1 from block_document_reference other where other.parent_block_document_id = block_document_reference.parent_block_document_id
        and other.name = block_document_reference.name and other.id < block_document_reference.id)`,
      reason: 'duplicate field',
    },
  ],
  ignoredColumns: ['created', 'updated'],
  columns: { id: uuid(), parent_block_document_id: uuid(), reference_block_document_id: uuid(), name: text() },
}

const defaultStorage: Step = {
  name: 'configuration.server-default-result-storage',
  noun: 'default result storage',
  from: 'configuration',
  to: 'default_result_storage',
  rowFilter: "configuration.key = 'server-default-result-storage'",
  skipRules: [
    {
      where: `not exists (select 1 from block_document document where cast(configuration.value as text) like '%' || cast(document.id as text) || '%')`,
      reason: 'block document not found',
    },
  ],
  // `key` also names the encryption key, which secrets.ts reads.
  ignoredColumns: ['id', 'created', 'updated', 'key'],
  columns: { value: json('{}') },
  async write(_adoption, tx, [row]) {
    const { default_result_storage_block_id: id } = JSON.parse(String(row?.value)) as { default_result_storage_block_id: string }
    await tx.insert('default_result_storage', [{ number: 1, block_document_id: id }])
  },
}

export const blockSteps: readonly Step[] = [types, schemas, references, documents, documentReferences, defaultStorage]
