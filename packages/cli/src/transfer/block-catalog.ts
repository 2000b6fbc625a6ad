import { ApiError, TimeoutError } from '@millrace/client/errors.ts'
import type { BlockSchema } from '@millrace/contracts/block-schema.ts'
import type { BlockType } from '@millrace/contracts/block-type.ts'
import { type Item, isEqual, isObject } from './json-value.ts'
import { readAll, type ServerState } from './server-state.ts'

/** A schema of the server, or of the file until it is created. */
export interface KnownSchema {
  id?: string
  readonly checksum: string | undefined
  readonly version: string
  readonly capabilities: readonly string[]
  readonly fields: unknown
}

/** The block types and schemas of a server, as far as files name them. */
export class BlockCatalog {
  /** Ids of types by slug. */
  readonly types = new Map<string, string>()
  readonly #schemas = new Map<string, KnownSchema[]>()
  /** Schemas by slug and the checksum that a file gives them. */
  readonly #namedByFile = new Map<string, KnownSchema>()
  #builtIn: Promise<ReadonlyMap<string, string>> | undefined
  #builtInChecksums: ReadonlyMap<string, string> = new Map()
  #knownTypes: Promise<ReadonlyMap<string, BlockType>> | undefined

  /** Reads the schemas that every Millrace server has. Other servers have none that Millrace could rely on. */
  async loadBuiltIn(server: ServerState): Promise<void> {
    this.#builtIn ??= readBuiltIn(server)
    this.#builtInChecksums = await this.#builtIn
  }

  /** The checksum of the built-in schema of a type. */
  builtInChecksum(slug: string): string | undefined {
    return this.#builtInChecksums.get(slug)
  }

  /** All block types of the server, by slug. */
  knownTypes(server: ServerState): Promise<ReadonlyMap<string, BlockType>> {
    this.#knownTypes ??= readAll(server.client.blockTypes.listAll({}, server.options)).then(
      (found) => new Map(found.map((type) => [type.slug, type])),
    )
    return this.#knownTypes
  }

  /** Reads the types and their schemas. */
  async load(server: ServerState, slugs: Iterable<string>): Promise<void> {
    await this.loadBuiltIn(server)
    const types = await this.knownTypes(server)
    const added = [...new Set(slugs)].filter((slug) => !this.#schemas.has(slug))
    const ids = added.flatMap((slug) => types.get(slug)?.id ?? [])
    const schemas: BlockSchema[] = []
    // A filter takes a limited number of ids.
    for (let start = 0; start < ids.length; start += 100) {
      const filter = { block_schemas: { block_type_id: { any_: ids.slice(start, start + 100) } } }
      schemas.push(...(await readAll(server.client.blockSchemas.listAll(filter, server.options))))
    }
    for (const slug of added) {
      const id = types.get(slug)?.id
      if (id !== undefined) this.types.set(slug, id)
      this.#schemas.set(
        slug,
        schemas.filter(({ block_type_id }) => id !== undefined && block_type_id === id),
      )
    }
  }

  /** The schema of a type with a checksum, of the server or of the file. Without a checksum it is the built-in schema, or else the latest one. */
  schemaOf(slug: string, checksum: string | undefined): KnownSchema | undefined {
    const schemas = this.#schemas.get(slug) ?? []
    const wanted = checksum ?? this.builtInChecksum(slug)
    const found = schemas.find((schema) => schema.checksum === wanted)
    if (checksum === undefined) return found ?? schemas[0]
    return found ?? this.#namedByFile.get(`${slug} ${checksum}`)
  }

  /** The schema that equals one of a file: by checksum, or else by content. */
  matching(slug: string, { checksum, version = 'non-versioned', capabilities = [], fields }: Item): KnownSchema | undefined {
    const schemas = this.#schemas.get(slug) ?? []
    const isSame = (schema: KnownSchema) =>
      schema.version === version && isEqual(schema.capabilities, capabilities) && isEqual(withoutReferences(schema.fields), withoutReferences(fields))
    return (checksum === undefined ? undefined : schemas.find((schema) => schema.checksum === checksum)) ?? schemas.find(isSame)
  }

  /** Adds a schema of a file. The server may have an equal one under another checksum. */
  addPlanned(slug: string, schema: Item): void {
    const known = this.matching(slug, schema)
    if (known && schema.checksum !== undefined) this.#namedByFile.set(`${slug} ${schema.checksum}`, known)
    if (known) return
    const { checksum, version = 'non-versioned', capabilities = [], fields } = schema
    const planned = { checksum: checksum as string | undefined, version: version as string, capabilities: capabilities as string[], fields }
    this.#schemas.set(slug, [...(this.#schemas.get(slug) ?? []), planned])
  }
}

/** The server adds an empty mapping of nested blocks. */
function withoutReferences(fields: unknown): unknown {
  if (!isObject(fields)) return fields
  const { block_schema_references: nested, ...others } = fields
  return isObject(nested) && Object.keys(nested).length > 0 ? fields : others
}

async function readBuiltIn(server: ServerState): Promise<ReadonlyMap<string, string>> {
  try {
    const options = { ...server.options, timeoutSeconds: 10, retries: 0 }
    const view = await server.client.server.collection('aggregate-block-metadata', options)
    const types = isObject(view.millrace) && isObject(view.millrace.block_types) ? view.millrace.block_types : {}
    return new Map(
      Object.entries(types).flatMap(([slug, type]) =>
        isObject(type) && isObject(type.block_schema) ? [[slug, type.block_schema.checksum as string] as const] : [],
      ),
    )
  } catch (error) {
    // A Prefect server downloads this view, and fails without the internet. It has no built-in schemas of Millrace.
    if ((error instanceof ApiError && (error.status === 404 || error.status >= 500)) || error instanceof TimeoutError) return new Map()
    throw error
  }
}
