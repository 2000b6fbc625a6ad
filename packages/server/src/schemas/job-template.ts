import { isJsonObject } from '../lib/json-exact.ts'
import { LruCache } from '../lib/lru-cache.ts'
import type { SchemaRefusal } from './refusal.ts'
import type { SchemaChecker } from './schema-checker.ts'

/** The data of block documents as JSON text, by the id that the template names them by. */
export type BlockData = Readonly<Record<string, string>>

/** Either the answer, or the ids of the blocks whose data is needed for one. */
export type TemplateVerdict = { readonly refusal: SchemaRefusal | undefined } | { readonly blocks: readonly string[] }

interface Default {
  readonly name: string
  /** A value, or the id of a block whose data is the value. */
  readonly value?: unknown
  readonly block?: string
  /** Whether the value fits the schema; found out when it is first asked for. */
  fits?: boolean
}

interface JobTemplate {
  /** JSON text of the schema of variables. */
  readonly schema: string
  readonly defaults: readonly Default[]
  readonly blocks: readonly string[]
}

const cacheLimits = { entriesMax: 100, weightMax: 2 * 1024 * 1024 }
const accepted: TemplateVerdict = { refusal: undefined }

/** Judges the base job templates of work pools and job variables by them. Defaults that name a block are replaced by the block's data. */
export class JobTemplateChecker {
  readonly #checker: SchemaChecker
  readonly #templates = new LruCache<string, JobTemplate | null>(cacheLimits)

  constructor(checker: SchemaChecker) {
    this.#checker = checker
  }

  /** Checks the defaults of a template as JSON text. Required variables may come later. */
  checkDefaults(text: string, blocks: BlockData | undefined): TemplateVerdict {
    const template = this.#read(text)
    if (!template) return accepted
    const bad = this.#checker.checkSchema(template.schema)
    if (bad) return { refusal: bad }
    if (template.blocks.length > 0 && !blocks) return { blocks: template.blocks }
    const values = template.defaults.map((given) => [given.name, defaultValue(given, blocks)])
    const options = { mend: true, nullForDefaults: true, ignoreRequired: true }
    return { refusal: this.#checker.check(template.schema, Object.fromEntries(values), options) }
  }

  /**
   * Checks layers of job variables, each JSON text, on top of the defaults. With `partial`, required variables may come later. Defaults that do not fit
   * are left out, as in the v3 API; then nothing is known about required variables either.
   */
  checkVariables(text: string, layers: readonly string[], partial: boolean, blocks: BlockData | undefined): TemplateVerdict {
    const template = this.#read(text)
    if (!template) return accepted
    const bad = this.#checker.checkSchema(template.schema)
    if (bad) return { refusal: bad }
    if (template.blocks.length > 0 && !blocks) return { blocks: template.blocks }
    const fitting = template.defaults.filter((given) => this.#fits(template, given, blocks))
    const defaults = Object.fromEntries(fitting.map((given) => [given.name, defaultValue(given, blocks)]))
    const variables = Object.assign(defaults, ...layers.map((layer) => JSON.parse(layer) as object))
    const ignoreRequired = partial || fitting.length < template.defaults.length
    return { refusal: this.#checker.check(template.schema, variables, { acceptsPydantic1: true, allowsNullForDefaults: true, ignoreRequired }) }
  }

  #fits({ schema }: JobTemplate, given: Default, blocks: BlockData | undefined): boolean {
    const check = () => this.#checker.check(schema, { [given.name]: defaultValue(given, blocks) }, { ignoreRequired: true }) === undefined
    // The data of a block can change at any time.
    if (given.block !== undefined) return check()
    given.fits ??= check()
    return given.fits
  }

  #read(text: string): JobTemplate | null {
    const known = this.#templates.get(text)
    if (known !== undefined) return known
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
    // A reference to something other than a block is filled in where the job starts.
    const id = isJsonObject(value.$ref) ? value.$ref.block_document_id : undefined
    return id == null ? [] : [{ name, block: String(id) }]
  })
  return { schema: JSON.stringify(variables), defaults, blocks: [...new Set(defaults.flatMap(({ block }) => (block === undefined ? [] : [block])))] }
}

const defaultValue = ({ value, block }: Default, blocks: BlockData | undefined): unknown =>
  block === undefined ? value : JSON.parse(blocks?.[block] ?? 'null')
