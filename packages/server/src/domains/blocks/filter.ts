import type { BlockDocumentSort } from '@millrace/contracts/block-document.ts'
import type { BlockDocumentFilter, BlockSchemaFilter, BlockTypeFilter } from '@millrace/contracts/block-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, combine, compare, compareTags, exists } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

/** Every list of blocks accepts the filters of types, schemas and documents. */
export interface BlockFilters {
  readonly block_documents?: BlockDocumentFilter | null
  readonly block_types?: BlockTypeFilter | null
  readonly block_schemas?: BlockSchemaFilter | null
}

const typeWhere = (dialect: Dialect, filter: BlockTypeFilter): Condition =>
  all([...compare(dialect, col('block_type.name'), filter.name), ...compare(dialect, col('block_type.slug'), filter.slug)])

const schemaWhere = (dialect: Dialect, filter: BlockSchemaFilter): Condition =>
  combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('block_schema.block_type_id'), filter.block_type_id, 'uuid'),
    ...compareTags(dialect, col('block_schema.capabilities'), filter.block_capabilities),
    ...compare(dialect, col('block_schema.id'), filter.id, 'uuid'),
    ...compare(dialect, col('block_schema.version'), filter.version),
  ])

const documentWhere = (dialect: Dialect, filter: BlockDocumentFilter): Condition =>
  combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('block_document.id'), filter.id, 'uuid'),
    ...compare(dialect, col('block_document.is_anonymous'), filter.is_anonymous),
    ...compare(dialect, col('block_document.block_type_id'), filter.block_type_id, 'uuid'),
    ...compare(dialect, col('block_document.name'), filter.name),
  ])

export function blockTypesWhere(dialect: Dialect, { block_types, block_schemas }: BlockFilters): Condition {
  return all([
    ...(block_types ? [typeWhere(dialect, block_types)] : []),
    ...(block_schemas ? [exists(sql`block_schema`, [sql`block_schema.block_type_id = block_type.id`, schemaWhere(dialect, block_schemas)])] : []),
  ])
}

export const blockSchemasWhere = (dialect: Dialect, { block_schemas }: BlockFilters): Condition =>
  block_schemas ? schemaWhere(dialect, block_schemas) : all([])

/** Anonymous documents are excluded unless the filter mentions them. */
export function blockDocumentsWhere(dialect: Dialect, { block_documents, block_types, block_schemas }: BlockFilters): Condition {
  return all([
    documentWhere(dialect, block_documents ?? { is_anonymous: { eq_: false } }),
    ...(block_types ? [exists(sql`block_type`, [sql`block_type.id = block_document.block_type_id`, typeWhere(dialect, block_types)])] : []),
    ...(block_schemas
      ? [exists(sql`block_schema`, [sql`block_schema.id = block_document.block_schema_id`, schemaWhere(dialect, block_schemas)])]
      : []),
  ])
}

export const documentOrder: Readonly<Record<BlockDocumentSort, RawBuilder<unknown>>> = {
  NAME_DESC: sql`block_document.name desc, block_document.id desc`,
  NAME_ASC: sql`block_document.name, block_document.id`,
  BLOCK_TYPE_AND_NAME_ASC: sql`block_document.block_type_name, block_document.name, block_document.id`,
}
