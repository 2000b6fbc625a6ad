import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { statement } from '../src/storage/database.ts'
import { tables } from '../src/storage/tables.ts'
import type { TestApp } from './setup.ts'

/** A secret that must not appear in responses or in the database. */
export const secretCanary = 'c4n4ry-in-the-mine'

/** Creates a block type with one schema, and returns a function that creates its documents. */
export async function seedBlockType(app: TestApp, slug: string, fields: object, capabilities: readonly string[] = []) {
  const type: string = (await app.call('POST', '/block_types/', { name: `Kind ${slug}`, slug })).body.id
  const schema: string = (await app.call('POST', '/block_schemas/', { block_type_id: type, fields, capabilities })).body.id
  const create = (name: string | null, data: object, more: object = {}) =>
    app.call('POST', '/block_documents/', { name, data, block_type_id: type, block_schema_id: schema, ...more })
  return { type, schema, create }
}

/** The complete content of the database: all rows and, for a file, the bytes of the file and of those beside it. */
export async function dumpDatabase(app: TestApp): Promise<string> {
  const rows = await Promise.all(Object.keys(tables).map((table) => app.context.reads.all(statement(`select * from ${table}`))))
  const file = /^sqlite:(.*)$/.exec(app.context.config.database.url)?.[1]
  const files = file ? readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file))) : []
  return [JSON.stringify(rows), ...files.map((name) => readFileSync(join(dirname(file as string), name), 'latin1'))].join('\n')
}
