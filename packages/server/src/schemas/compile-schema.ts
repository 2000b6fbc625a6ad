import { Ajv2020, type ErrorObject, MissingRefError, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { rewriteSchemas, type Schema } from './adapt-schema.ts'

/** Contains the compiled schema, because it differs from the given one when that has unresolved references. */
export interface CompiledSchema {
  readonly schema: unknown
  readonly validate: ValidateFunction
}

/**
 * Compiles a schema in a separate Ajv instance (0.13 ms), so that no `$id` of a user collides with another schema or a metaschema. Nothing is
 * fetched: a reference must point into the schema itself or to a metaschema of the draft. Up to `unresolvedRefsMax` unresolved references reject only
 * the values that reach them, as in the v3 API; each one costs another compilation.
 */
export function compileSchema(schema: unknown, options: Options, unresolvedRefsMax = 0, meta = false): CompiledSchema {
  const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false, validateSchema: false, meta, ...options })
  ajv.addKeyword({ keyword: unresolvedRefKeyword, schemaType: 'string', validate: createUnresolvedRefValidator(), errors: true })
  try {
    return { schema, validate: ajv.compile(schema as Schema) }
  } catch (error) {
    if (!(error instanceof MissingRefError)) throw error
    if (!meta && error.missingSchema.startsWith(metaschemas)) return compileSchema(schema, options, unresolvedRefsMax, true)
    const replaced = unresolvedRefsMax > 0 ? replaceUnresolvedRef(schema, error.missingRef) : undefined
    if (replaced === undefined) throw error
    return compileSchema(replaced, options, unresolvedRefsMax - 1, meta)
  }
}

const metaschemas = 'https://json-schema.org/draft/2020-12/'

/** Validates schemas against the metaschema of the draft. Schemas are plain data to this instance, so their `$id`s have no effect. */
export function compileMetaschema(options: Options): ValidateFunction {
  return new Ajv2020({ strict: false, logger: false, ...options }).getSchema(`${metaschemas}schema`) as ValidateFunction
}

/** Replaces an unresolved `$ref`. */
const unresolvedRefKeyword = 'x-unresolved-ref'

function createUnresolvedRefValidator() {
  const reject: { (reference: string): boolean; errors?: Partial<ErrorObject>[] } = (reference) => {
    reject.errors = [{ keyword: unresolvedRefKeyword, message: `cannot be checked: unresolved reference ${reference}`, params: {} }]
    return false
  }
  return reject
}

/** Returns undefined if the schema has no such reference. */
function replaceUnresolvedRef(schema: unknown, missing: string): unknown {
  let found = false
  const replaced = rewriteSchemas(schema, (part) => {
    const { $ref, ...rest } = part
    if (typeof $ref !== 'string' || !isSameRef($ref, missing)) return part
    found = true
    return { ...rest, [unresolvedRefKeyword]: $ref }
  })
  return found ? replaced : undefined
}

/** Whether a reference is the one that Ajv reports by its absolute URI. */
const isSameRef = (reference: string, address: string): boolean =>
  reference === address || (address.endsWith(reference) && (reference.startsWith('#') || /[/:]$/.test(address.slice(0, -reference.length))))
