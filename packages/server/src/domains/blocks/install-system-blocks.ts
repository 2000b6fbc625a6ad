import type { Db, Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { keyringOf } from './keyring.ts'
import { type BlockSchemaRow, insertBlockSchemaReferences, insertBlockSchemas, readBlockSchemasByChecksum } from './schema-store.ts'
import { allBlocks } from './system-blocks/all-blocks.ts'
import type { SystemBlock } from './system-blocks/system-block.ts'
import { type BlockTypeRow, insertBlockTypes, readBlockTypesBySlug, updateBlockType } from './type-store.ts'

/**
 * Installs missing built-in block types. Needs two reads if all are installed. Keeps changes by users and emits no events.
 */
export async function installSystemBlocks(context: ActingContext): Promise<{ readonly installed: number }> {
  if ((await findMissingBlocks(context.reads)).length === 0) return { installed: 0 }
  return context.commands.submit((tx) => install(context, tx))
}

async function findMissingBlocks(db: Db): Promise<SystemBlock[]> {
  const { types, schemas } = await readInstalled(db)
  return allBlocks.filter((block) => {
    const type = types.get(block.slug)
    return !type || !schemas.has(keyOf(block)) || (block.isProtected && !toBoolean(type.is_protected))
  })
}

async function install({ clock, newId }: ServerContext, tx: Tx): Promise<{ installed: number }> {
  const blocks = await findMissingBlocks(tx)
  const before = await readInstalled(tx)
  const now = clock.now()
  const stamps = () => ({ id: newId(), created: now, updated: now })

  const newTypes = blocks.filter(({ slug }) => !before.types.has(slug))
  await insertBlockTypes(
    tx,
    newTypes.map((block) => ({ ...stamps(), ...typeColumns(block) })),
  )
  for (const { slug, isProtected } of blocks) {
    const type = before.types.get(slug)
    if (type && isProtected && !toBoolean(type.is_protected)) await updateBlockType(tx, { ...type, is_protected: true })
  }

  const { types } = await readInstalled(tx)
  const newSchemas = blocks.filter((block) => !before.schemas.has(keyOf(block)))
  await insertBlockSchemas(
    tx,
    newSchemas.map((block) => ({ ...stamps(), block_type_id: idOf(types, block.slug), ...schemaColumns(block) })),
  )
  const { schemas } = await readInstalled(tx)
  const references = newSchemas.flatMap((block) =>
    block.nested.map(({ name, block: inner }) => ({
      id: newId(),
      parent_block_schema_id: idOf(schemas, keyOf(block)),
      reference_block_schema_id: idOf(schemas, keyOf(inner)),
      name,
    })),
  )
  await insertBlockSchemaReferences(tx, references)
  return { installed: blocks.length }
}

interface InstalledBlocks {
  readonly types: ReadonlyMap<string, BlockTypeRow>
  readonly schemas: ReadonlyMap<string, BlockSchemaRow>
}

async function readInstalled(db: Db): Promise<InstalledBlocks> {
  const types = await readBlockTypesBySlug(
    db,
    allBlocks.map(({ slug }) => slug),
  )
  const schemas = await readBlockSchemasByChecksum(
    db,
    allBlocks.map(({ checksum }) => checksum),
  )
  return { types: new Map(types.map((row) => [row.slug, row])), schemas: new Map(schemas.map((row) => [keyOf(row), row])) }
}

const keyOf = ({ checksum, version }: { checksum: string; version: string }): string => `${checksum} ${version}`

const idOf = (rows: ReadonlyMap<string, { id: string }>, key: string): string => (rows.get(key) as { id: string }).id

const typeColumns = ({ slug, name, description, isProtected }: SystemBlock) => ({
  name,
  slug,
  logo_url: null,
  documentation_url: null,
  description,
  code_example: null,
  is_protected: isProtected,
})

const schemaColumns = ({ checksum, version, capabilities, fields }: SystemBlock) => ({
  checksum,
  version,
  capabilities: JSON.stringify(capabilities),
  fields: JSON.stringify(fields),
})

interface Log {
  warn(message: string): void
  error(fields: object, message: string): void
}

/** Prepares blocks at startup. The server may already serve requests, so a failure is logged and does not stop it. */
export async function prepareBlocks(context: ActingContext, log: Log): Promise<void> {
  if (keyringOf(context).isKeyInDatabase) {
    log.warn('The key that encrypts block secrets is stored in the same database. Set MILLRACE_SERVER_ENCRYPTION_KEY to keep it elsewhere.')
  }
  try {
    await installSystemBlocks(context)
  } catch (error) {
    log.error({ err: error }, 'Cannot install the built-in block types')
  }
}
