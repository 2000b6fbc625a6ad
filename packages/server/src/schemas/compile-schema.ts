import { Ajv2020, type ErrorObject, MissingRefError, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { rewriteSchemas, type Schema } from './adapt-schema.ts'

/** The schema that was compiled comes along: it differs from the one given if that has references that lead nowhere. */
export interface CompiledSchema {
  readonly schema: unknown
  readonly validate: ValidateFunction
}

/**
 * Compiles a schema in an instance of its own (0.13 ms), so that no `$id` of a user meets another schema or Ajv's metaschemas. Nothing is ever
 * fetched: a reference must lead into the schema itself or to a metaschema of the draft. With `deadEnds`, a reference that leads nowhere refuses only
 * the values that reach it, as in the v3 API; each costs another compilation, so there may be `deadEnds` of them.
 */
export function compileSchema(schema: unknown, options: Options, deadEnds = 0, meta = false): CompiledSchema {
  const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false, validateSchema: false, meta, ...options })
  ajv.addKeyword({ keyword: unresolvedRefKeyword, schemaType: 'string', validate: createUnresolvedRefValidator(), errors: true })
  try {
    return { schema, validate: ajv.compile(schema as Schema) }
  } catch (error) {
    if (!(error instanceof MissingRefError)) throw error
    if (!meta && error.missingSchema.startsWith(metaschemas)) return compileSchema(schema, options, deadEnds, true)
    const closed = deadEnds > 0 ? replaceUnresolvedRef(schema, error.missingRef) : undefined
    if (closed === undefined) throw error
    return compileSchema(closed, options, deadEnds - 1, meta)
  }
}

const metaschemas = 'https://json-schema.org/draft/2020-12/'

/** Judges schemas by the metaschema of the draft. Schemas are plain data to this instance, so that their `$id`s do not matter. */
export function compileMetaschema(options: Options): ValidateFunction {
  return new Ajv2020({ strict: false, logger: false, ...options }).getSchema(`${metaschemas}schema`) as ValidateFunction
}

/** Stands in for a `$ref` that leads nowhere. */
const unresolvedRefKeyword = 'x-dead-end'

function createUnresolvedRefValidator() {
  const refuse: { (reference: string): boolean; errors?: Partial<ErrorObject>[] } = (reference) => {
    refuse.errors = [{ keyword: unresolvedRefKeyword, message: `cannot be checked: the reference ${reference} leads nowhere`, params: {} }]
    return false
  }
  return refuse
}

/** Undefined if the schema has no such reference. */
function replaceUnresolvedRef(schema: unknown, missing: string): unknown {
  let found = false
  const closed = rewriteSchemas(schema, (part) => {
    const { $ref, ...rest } = part
    if (typeof $ref !== 'string' || !isSameRef($ref, missing)) return part
    found = true
    return { ...rest, [unresolvedRefKeyword]: $ref }
  })
  return found ? closed : undefined
}

/** Whether a reference is the one that Ajv names by its whole address. */
const isSameRef = (reference: string, address: string): boolean =>
  reference === address || (address.endsWith(reference) && (reference.startsWith('#') || /[/:]$/.test(address.slice(0, -reference.length))))
