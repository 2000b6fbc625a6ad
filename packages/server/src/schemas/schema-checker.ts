import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { LruCache } from '../lib/lru-cache.ts'
import { adaptSchema } from './adapt-schema.ts'
import { type CompiledSchema, compileMetaschema, compileSchema } from './compile-schema.ts'
import { limitRefusal, type Phase, type SchemaOptions, type SchemaRefusal } from './refusal.ts'

type Compiled = CompiledSchema | { readonly refusal: SchemaRefusal }

/** A schema compiles in 1 to 14 ms and then validates in microseconds. A compiled schema takes 20 to 70 times the memory of its text. */
const cacheLimits = { entriesMax: 256, weightMax: 1024 * 1024 }

const unresolvedRefsMax = 10
const reasonLengthMax = 1000

/** Formats are not validated, as in the v3 API. */
const ajvOptions = { validateFormats: false }

/** Validates values by schemas and stops at the first error. Runs on a worker thread, because a schema can take any amount of time and memory. */
export class SchemaChecker {
  readonly #compiled = new LruCache<string, Compiled>(cacheLimits)
  readonly #enter: (phase: Phase) => void
  #metaschema: ValidateFunction | undefined

  constructor(enter: (phase: Phase) => void = () => {}) {
    this.#enter = enter
  }

  /** Validates a value by a schema, which is JSON text. Returns undefined for a valid value. */
  check(schemaText: string, value: unknown, options: SchemaOptions = {}): SchemaRefusal | undefined {
    const compiled = this.#compile(schemaText, options)
    if ('refusal' in compiled) return compiled.refusal
    this.#enter('validating')
    try {
      return compiled.validate(value) ? undefined : describe(compiled.validate.errors?.[0])
    } catch (error) {
      if (error instanceof RangeError) return circular
      throw error
    }
  }

  /** Validates the schema itself. */
  checkSchema(schemaText: string): SchemaRefusal | undefined {
    const compiled = this.#compile(schemaText, {})
    return 'refusal' in compiled && (compiled.refusal.kind === 'schema' || compiled.refusal.kind === 'limit') ? compiled.refusal : undefined
  }

  #compile(text: string, options: SchemaOptions): Compiled {
    const key = `${options.ignoreRequired ? 'r' : ''}${options.acceptsPydantic1 ? 'm' : ''}${options.allowsNullForDefaults ? 'n' : ''} ${text}`
    const cached = this.#compiled.get(key)
    if (cached) return cached
    this.#enter('compiling')
    const compiled = this.#compileUncached(text, options)
    this.#compiled.set(key, compiled, text.length)
    return compiled
  }

  #compileUncached(text: string, options: SchemaOptions): Compiled {
    try {
      const parsed = tryParse(text)
      if (parsed === undefined) return { refusal: { kind: 'schema', path: '', reason: 'is not a JSON object' } }
      const schema = adaptSchema(parsed, options)
      this.#metaschema ??= compileMetaschema(ajvOptions)
      if (!this.#metaschema(schema)) return { refusal: { ...describe(this.#metaschema.errors?.[0]), kind: 'schema' } }
      return compileSchema(schema, ajvOptions, unresolvedRefsMax)
    } catch (error) {
      if (error instanceof RangeError) return { refusal: limitRefusal(tooDeepMessage) }
      // For example a pattern that is not a regular expression.
      return { refusal: { kind: 'value', path: '', reason: error instanceof Error ? error.message : String(error) } }
    }
  }
}

/** Flow run inputs are stored as any text, including their schemas. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const circular: SchemaRefusal = { kind: 'circular', path: '', reason: 'The schema refers to itself endlessly' }

function describe(error: ErrorObject | undefined): SchemaRefusal {
  const path = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((parent, step) => (/^\d+$/.test(step) ? `${parent}[${step}]` : parent ? `${parent}.${step}` : step), '')
  const params = (error?.params ?? {}) as Record<string, unknown>
  const more = params.allowedValues ?? params.additionalProperty ?? params.unevaluatedProperty
  return {
    kind: 'value',
    path,
    reason: truncate(`${error?.message ?? 'is not valid'}${more === undefined ? '' : `: ${JSON.stringify(more)}`}`),
  }
}

/** The thread ran out of stack while it compiled a schema. */
export const tooDeepMessage = 'The schema is too large, too deeply nested or refers to itself endlessly. Simplify it.'

/** Messages quote parts of the schema and the value, which can be large. */
export const truncate = (message: string): string => (message.length > reasonLengthMax ? `${message.slice(0, reasonLengthMax)}…` : message)
