import type { BlockDocument, BlockDocumentCreate } from '@millrace/contracts/block-document.ts'
import type { BlockCatalog } from '../block-catalog.ts'
import { toRequest, withBlockNames } from '../block-references.ts'
import { flag, object, optional, required, secretObject, text, toCanonical } from '../field-spec.ts'
import { groupByDependency } from '../group-by-dependency.ts'
import { compareTexts, type Item, isObject, mapLeaves } from '../json-value.ts'
import type { FileItem, Kind } from '../kind.ts'
import { Hidden, Reference, SecretPlaceholder } from '../placeholders.ts'
import { mapSecrets, SecretNames, secretPaths, withHiddenSecrets, withPlaceholders } from '../secrets.ts'
import { documentName, readAll, type ServerState } from '../server-state.ts'
import { exportedDocuments, referencedDocuments } from './exported-documents.ts'

const spec = object({
  type: required(text({ isEmptyAllowed: false })),
  name: required(text({ pattern: /^[a-z0-9-]+$/, allows: 'a name has lower-case letters, digits and -' })),
  // The checksum of a schema that is not built in.
  schema: optional(text()),
  is_anonymous: optional(flag, false),
  data: optional(secretObject, {}),
})

export interface SecretOptions {
  /** Whether an export contains secrets. */
  readonly isIncluded: boolean
  /** Values of placeholders, by name. */
  readonly values: ReadonlyMap<string, unknown>
}

const nameOf = ({ type, name }: Item): string => `${type}/${name}`

export const blockDocuments = (catalog: BlockCatalog, secrets: SecretOptions): Kind => ({
  key: 'block_documents',
  noun: 'block document',
  spec,
  nameKeys: ['type', 'name'],
  nameOf,
  async read(server, wanted) {
    await server.loadNames(['block-document'])
    if (wanted) return readForImport(server, catalog, wanted, secrets.values)
    await catalog.loadBuiltIn(server)
    const found = (await exportedDocuments(server)).sort((a, b) => compareTexts(documentName(a), documentName(b)))
    const shown = secrets.isIncluded ? await readWithSecrets(server, found) : found
    const names = new SecretNames()
    return shown.map((document) => {
      const item = toItem(server, catalog, document)
      const path = [item.type as string, document.name ?? '']
      const data = secrets.isIncluded ? item.data : withPlaceholders(item.data, pathsOf(document), names, path)
      return { id: document.id, name: nameOf(item), item: toCanonical(spec, { ...item, data }) }
    })
  },
  prepare(_server, { item, problem }, existing) {
    const type = item.type as string
    const schema = catalog.schemaOf(type, (item.schema ?? existing?.item.schema) as string | undefined)
    if (!schema) reportMissingSchema(item, problem)
    const filled = withHiddenSecrets(fillPlaceholders(item.data ?? {}, secrets.values), secretPaths(schema?.fields))
    const data = keepSecrets(filled, existing?.item.data)
    if (!existing) return { ...item, data }
    const { schema: present, is_anonymous } = existing.item
    // The server may know the schema of the file by another checksum, or as its built-in one.
    const wanted = schema?.checksum === catalog.builtInChecksum(type) ? undefined : (schema?.checksum ?? item.schema)
    return { ...item, schema: item.schema === undefined ? present : wanted, is_anonymous, data }
  },
  groupByDependency: (items) => groupByDependency(items, nameOf, ({ data }) => referencedNames(data)),
  async create(server, item) {
    const body = {
      name: item.name,
      data: toRequest(server, item.data ?? {}),
      is_anonymous: item.is_anonymous ?? false,
      block_type_id: catalog.types.get(item.type as string),
      block_schema_id: catalog.schemaOf(item.type as string, item.schema as string | undefined)?.id,
    }
    const { id } = await server.client.blockDocuments.create(body as BlockDocumentCreate, server.options)
    server.add('block-document', nameOf(item), id)
    return undefined
  },
  async update(server, { id }, item, changed) {
    const schema = changed.has('schema')
      ? { block_schema_id: catalog.schemaOf(item.type as string, item.schema as string | undefined)?.id ?? null }
      : {}
    const data = changed.has('data') ? { data: toRequest(server, item.data ?? {}) as Record<string, unknown>, merge_existing_data: false } : {}
    await server.client.blockDocuments.update(id, { ...schema, ...data }, server.options)
    return undefined
  },
  async remove(server, { id }) {
    await server.client.blockDocuments.delete(id, server.options)
  },
})

const pathsOf = ({ block_schema: schema }: BlockDocument) => secretPaths(schema?.fields)

/** The documents of the server, with hidden secrets. Secrets are read only where the file has a value to compare them with. */
async function readForImport(server: ServerState, catalog: BlockCatalog, wanted: readonly FileItem[], values: ReadonlyMap<string, unknown>) {
  await catalog.load(
    server,
    wanted.map(({ item }) => item.type as string),
  )
  const byName = new Map(wanted.map(({ name, item }) => [name, item]))
  const found = await server.list('block-document')
  const compared = found.filter((document) => hasSecretValue(byName.get(documentName(document))?.data, document, values))
  const uncovered = new Map((await readWithSecrets(server, compared)).map((document) => [document.id, document]))
  return found.map((document) => {
    const { data, ...item } = toItem(server, catalog, uncovered.get(document.id) ?? document)
    const hidden = toCanonical(spec, { ...item, data: withHiddenSecrets(data, pathsOf(document)) })
    return { id: document.id, name: nameOf(item), item: hidden, isKept: document.is_anonymous }
  })
}

/** Whether the data of a file has the value of a secret, and not only its name. */
function hasSecretValue(data: unknown, document: BlockDocument, values: ReadonlyMap<string, unknown>): boolean {
  let isFound = false
  mapSecrets(data, pathsOf(document), (value) => {
    isFound ||= !(value instanceof SecretPlaceholder) || values.has(value.name)
    return value
  })
  return isFound
}

async function readWithSecrets(server: ServerState, documents: readonly BlockDocument[]): Promise<BlockDocument[]> {
  const read: BlockDocument[] = []
  // A filter takes a limited number of ids.
  for (let start = 0; start < documents.length; start += 100) {
    const ids = documents.slice(start, start + 100).map(({ id }) => id)
    const filter = { block_documents: { id: { any_: ids }, is_anonymous: null }, include_secrets: true }
    read.push(...(await readAll(server.client.blockDocuments.listAll(filter, server.options))))
  }
  const byId = new Map(read.map((document) => [document.id, document]))
  return documents.flatMap(({ id }) => byId.get(id) ?? [])
}

/** The server inserts the data of referenced documents. */
function toItem(server: ServerState, catalog: BlockCatalog, document: BlockDocument): Item {
  const type = document.block_type?.slug ?? ''
  const checksum = document.block_schema?.checksum
  const references = referencedDocuments(document.block_document_references).map(({ field, id }) => {
    return [field, new Reference('block-document', server.nameOf('block-document', id) ?? id)]
  })
  return {
    type,
    name: document.name,
    ...(checksum === undefined || checksum === catalog.builtInChecksum(type) ? {} : { schema: checksum }),
    is_anonymous: document.is_anonymous,
    data: { ...withBlockNames(server, document.data), ...Object.fromEntries(references) },
  }
}

const fillPlaceholders = (data: unknown, values: ReadonlyMap<string, unknown>): unknown =>
  mapLeaves(data, (leaf) => (leaf instanceof SecretPlaceholder && values.has(leaf.name) ? new Hidden(values.get(leaf.name)) : leaf))

/** Replaces placeholders without a value by what the server has. A mask that is sent back keeps the stored secret. */
function keepSecrets(data: unknown, present: unknown): unknown {
  const plain = data instanceof Hidden ? data.value : data
  if (plain instanceof SecretPlaceholder) return present === undefined || present === null ? data : present
  if (Array.isArray(data)) return data.map((item, index) => keepSecrets(item, Array.isArray(present) ? present[index] : undefined))
  if (!isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, inner]) => [key, keepSecrets(inner, isObject(present) ? present[key] : undefined)]))
}

function reportMissingSchema({ type, schema }: Item, problem: FileItem['problem']): void {
  if (schema === undefined) problem(['type'], `Neither the file nor the server has a block type "${type}" with a schema.`)
  else problem(['schema'], `Neither the file nor the server has the schema ${schema} of the block type "${type}".`)
}

function referencedNames(value: unknown): string[] {
  if (value instanceof Reference) return [value.name]
  if (Array.isArray(value)) return value.flatMap(referencedNames)
  return isObject(value) ? Object.values(value).flatMap(referencedNames) : []
}
