import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { BlockSchema, BlockSchemaCreate } from '@millrace/contracts/block-schema.ts'
import type { BlockType, BlockTypeCreate } from '@millrace/contracts/block-type.ts'
import type { BlockCatalog } from '../block-catalog.ts'
import { freeObject, list, name, nullable, object, optional, required, text, toCanonical } from '../field-spec.ts'
import { groupByDependency } from '../group-by-dependency.ts'
import { compareTexts, type Item, isObject } from '../json-value.ts'
import { type ExistingItem, type Kind, pick } from '../kind.ts'
import type { ServerState } from '../server-state.ts'
import { exportedDocuments } from './exported-documents.ts'

/** Omitted descriptions stay as they are: built-in types have their own. */
const spec = object({
  slug: required(text({ pattern: /^[a-z0-9-]+$/, allows: 'a slug has lower-case letters, digits and -' })),
  name: optional(name),
  description: optional(nullable(text())),
  logo_url: optional(nullable(text())),
  documentation_url: optional(nullable(text())),
  code_example: optional(nullable(text())),
  schemas: optional(
    list(
      object({
        checksum: optional(text()),
        version: optional(text(), 'non-versioned'),
        capabilities: optional(list(text()), []),
        fields: required(freeObject),
      }),
    ),
    [],
  ),
})

const descriptions = { description: null, logo_url: null, documentation_url: null, code_example: null }

/** Block types and schemas of documents, except those that are built in. Clients register them, so `--prune` keeps them. */
export const blockTypes = (catalog: BlockCatalog): Kind => ({
  key: 'block_types',
  noun: 'block type',
  spec,
  nameKeys: ['slug'],
  isSequential: true,
  nameOf: ({ slug }) => slug as string,
  async read(server, wanted) {
    if (!wanted) return readExported(server, catalog)
    await catalog.load(
      server,
      wanted.map(({ item }) => item.slug as string),
    )
    const types = await catalog.knownTypes(server)
    return wanted.flatMap(({ item }) => {
      const type = types.get(item.slug as string)
      if (!type) return []
      const schemas = ((item.schemas ?? []) as Item[]).filter((schema) => catalog.matching(type.slug, schema)?.id !== undefined)
      return [{ id: type.id, name: type.slug, item: toCanonical(spec, { ...typeFields(type), schemas }) }]
    })
  },
  prepare(_server, { item, problem }, existing) {
    const slug = item.slug as string
    for (const schema of (item.schemas ?? []) as Item[]) catalog.addPlanned(slug, schema)
    // The descriptions of built-in types belong to the server.
    if (existing && catalog.builtInChecksum(slug) !== undefined) return { ...existing.item, schemas: item.schemas }
    if (existing) return { ...existing.item, ...item, name: existing.item.name }
    if (item.name === undefined) problem([], `Missing key "name": the server has no block type "${slug}" yet.`)
    return item
  },
  groupByDependency: (items) =>
    groupByDependency(
      items,
      ({ slug }) => slug as string,
      (item) =>
        ((item.schemas ?? []) as Item[]).flatMap(({ fields }) => nestedBlocks(fields).map(({ slug }) => slug)).filter((slug) => slug !== item.slug),
    ),
  async create(server, item) {
    const { schemas: _schemas, ...fields } = item
    const { id, slug } = await server.client.blockTypes.create(fields as BlockTypeCreate, server.options)
    catalog.types.set(slug, id)
    await createSchemas(server, catalog, item)
    return undefined
  },
  async update(server, { id }, item, changed) {
    const fields = pick(item, descriptions, changed)
    if (Object.keys(fields).length > 0) await server.client.blockTypes.update(id, fields, server.options)
    await createSchemas(server, catalog, item)
    return undefined
  },
})

async function createSchemas(server: ServerState, catalog: BlockCatalog, { slug, schemas = [] }: Item): Promise<void> {
  for (const schema of schemas as Item[]) {
    const known = catalog.matching(slug as string, schema)
    if (!known || known.id !== undefined) continue
    const { checksum: _checksum, ...fields } = schema
    const body = { ...fields, block_type_id: catalog.types.get(slug as string) } as BlockSchemaCreate
    known.id = (await server.client.blockSchemas.create(body, server.options)).id
  }
}

/** The types of the documents, and those that their schemas nest. */
async function readExported(server: ServerState, catalog: BlockCatalog): Promise<ExistingItem[]> {
  await catalog.loadBuiltIn(server)
  const found = new Map<string, { readonly type: BlockType; readonly schemas: Map<string, BlockSchema> }>()
  const waiting = (await exportedDocuments(server)).flatMap(({ block_schema: schema }: BlockDocument) => schema ?? [])
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    const type = schema.block_type ?? (await server.client.blockTypes.read(schema.block_type_id ?? '', server.options))
    if (catalog.builtInChecksum(type.slug) === schema.checksum) continue
    const entry = found.get(type.slug) ?? { type, schemas: new Map() }
    found.set(type.slug, entry)
    if (entry.schemas.has(schema.checksum)) continue
    entry.schemas.set(schema.checksum, schema)
    for (const { checksum } of nestedBlocks(schema.fields))
      waiting.push(await server.client.blockSchemas.readByChecksum(checksum, {}, server.options))
  }
  return [...found.values()].map(({ type, schemas }) => {
    const shown = [...schemas.values()].sort((a, b) => compareTexts(a.checksum, b.checksum)).map(schemaFields)
    const isBuiltIn = catalog.builtInChecksum(type.slug) !== undefined
    return { id: type.id, name: type.slug, item: toCanonical(spec, { ...(isBuiltIn ? { slug: type.slug } : typeFields(type)), schemas: shown }) }
  })
}

const schemaFields = ({ checksum, version, capabilities, fields }: BlockSchema): Item => ({ checksum, version, capabilities, fields })

/** Texts that were never set are left out. */
function typeFields({ slug, name, description, logo_url, documentation_url, code_example }: BlockType): Item {
  const texts = { description: unescapeMarkup(description), logo_url, documentation_url, code_example: unescapeMarkup(code_example) }
  return { slug, name, ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== null)) }
}

/** The server escapes these texts when it creates a type. */
const unescapeMarkup = (escaped: string | null): string | null =>
  escaped === null ? null : escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

interface NestedBlock {
  readonly slug: string
  readonly checksum: string
}

function nestedBlocks(fields: unknown): NestedBlock[] {
  const references = isObject(fields) ? fields.block_schema_references : undefined
  if (!isObject(references)) return []
  return Object.values(references)
    .flat()
    .flatMap((each) => (isObject(each) ? [{ slug: String(each.block_type_slug), checksum: String(each.block_schema_checksum) }] : []))
}
