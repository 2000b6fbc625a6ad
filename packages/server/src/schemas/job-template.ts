import { isJsonObject } from '../lib/json-exact.ts'
import { LruCache } from '../lib/lru-cache.ts'
import type { SchemaOptions, SchemaRefusal } from './refusal.ts'
import type { SchemaChecker } from './schema-checker.ts'

/** The data of block documents as JSON text, by the id in the template. */
export type BlockData = Readonly<Record<string, string>>

/** Either the result, or the ids of the blocks whose data the check needs. */
export type TemplateVerdict = { readonly refusal: SchemaRefusal | undefined } | { readonly blocks: readonly string[] }

interface Default {
  readonly name: string
  /** A value, or the id of a block whose data is the value. */
  readonly value?: unknown
  readonly block?: string
  /** Whether the value matches the schema. Computed on first use. */
  isValid?: boolean
}

interface JobTemplate {
  /** JSON text of the schema of variables. */
  readonly schema: string
  readonly defaults: readonly Default[]
  readonly blocks: readonly string[]
}

const cacheLimits = { entriesMax: 100, weightMax: 2 * 1024 * 1024 }
const accepted: TemplateVerdict = { refusal: undefined }

/** Validates base job templates of work pools, and job variables against them. A default that references a block is replaced by the data of the block. */
export class JobTemplateChecker {
  readonly #checker: SchemaChecker
  readonly #templates = new LruCache<string, JobTemplate | null>(cacheLimits)

  constructor(checker: SchemaChecker) {
    this.#checker = checker
  }

  /** Checks the defaults of a template, which is JSON text. Required variables may be missing. */
  checkDefaults(text: string, blocks: BlockData | undefined): TemplateVerdict {
    const template = this.#read(text)
    if (!template) return accepted
    const schemaRefusal = this.#checker.checkSchema(template.schema)
    if (schemaRefusal) return { refusal: schemaRefusal }
    if (template.blocks.length > 0 && !blocks) return { blocks: template.blocks }
    const values = template.defaults.map((given) => [given.name, defaultValue(given, blocks)])
    const options: SchemaOptions = { acceptsPydantic1: true, allowsNullForDefaults: true, ignoreRequired: true }
    return { refusal: this.#checker.check(template.schema, Object.fromEntries(values), options) }
  }

  /**
   * Checks layers of job variables, each JSON text, on top of the defaults. With `partial`, required variables may be missing. Invalid defaults are
   * ignored, as in the v3 API; then required variables are not checked either.
   */
  checkVariables(text: string, layers: readonly string[], partial: boolean, blocks: BlockData | undefined): TemplateVerdict {
    const template = this.#read(text)
    if (!template) return accepted
    const schemaRefusal = this.#checker.checkSchema(template.schema)
    if (schemaRefusal) return { refusal: schemaRefusal }
    if (template.blocks.length > 0 && !blocks) return { blocks: template.blocks }
    const validDefaults = template.defaults.filter((given) => this.#isValid(template, given, blocks))
    const defaults = Object.fromEntries(validDefaults.map((given) => [given.name, defaultValue(given, blocks)]))
    const variables = Object.assign(defaults, ...layers.map((layer) => JSON.parse(layer) as object))
    const ignoreRequired = partial || validDefaults.length < template.defaults.length
    return { refusal: this.#checker.check(template.schema, variables, { acceptsPydantic1: true, allowsNullForDefaults: true, ignoreRequired }) }
  }

  #isValid({ schema }: JobTemplate, given: Default, blocks: BlockData | undefined): boolean {
    const check = () => this.#checker.check(schema, { [given.name]: defaultValue(given, blocks) }, { ignoreRequired: true }) === undefined
    // Not cached: the data of a block can change at any time.
    if (given.block !== undefined) return check()
    given.isValid ??= check()
    return given.isValid
  }

  #read(text: string): JobTemplate | null {
    const cached = this.#templates.get(text)
    if (cached !== undefined) return cached
    const template = readTemplate(text)
    this.#templates.set(text, template, text.length)
    return template
  }
}

function readTemplate(text: string): JobTemplate | null {
  const { variables } = JSON.parse(text) as { variables?: unknown }
  if (!isJsonObject(variables) || Object.keys(variables).length === 0) return null
  const defaults = Object.entries(isJsonObject(variables.properties) ? variables.properties : {}).flatMap(([name, property]): Default[] => {
    if (!isJsonObject(property) || !('default' in property)) return []
    const { default: value } = property
    if (!isJsonObject(value) || !('$ref' in value)) return [{ name, value }]
    // Any other reference is resolved when the job starts.
    const id = isJsonObject(value.$ref) ? value.$ref.block_document_id : undefined
    return id == null ? [] : [{ name, block: String(id) }]
  })
  return { schema: JSON.stringify(variables), defaults, blocks: [...new Set(defaults.flatMap(({ block }) => (block === undefined ? [] : [block])))] }
}

const defaultValue = ({ value, block }: Default, blocks: BlockData | undefined): unknown =>
  block === undefined ? value : JSON.parse(blocks?.[block] ?? 'null')
