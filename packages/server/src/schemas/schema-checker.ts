import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { LruCache } from '../lib/lru-cache.ts'
import { adaptSchema } from './adapt-schema.ts'
import { type CompiledSchema, compileMetaschema, compileSchema } from './compile-schema.ts'
import { limitRefusal, type Phase, type SchemaOptions, type SchemaRefusal } from './refusal.ts'

type Compiled = CompiledSchema | { readonly refusal: SchemaRefusal }

/** A schema takes 1 to 14 ms to compile and then judges in microseconds. A compiled schema takes some 20 to 70 times the memory of its text. */
const cacheLimits = { entriesMax: 256, weightMax: 1024 * 1024 }

const deadEndsMax = 10
const reasonLengthMax = 1000

/** Formats are not judged, as in the v3 API. */
const ajvOptions = { validateFormats: false }

/** Judges values by schemas and stops at the first error. Runs on a worker thread: a schema can take any time and memory. */
export class SchemaChecker {
  readonly #compiled = new LruCache<string, Compiled>(cacheLimits)
  readonly #enter: (phase: Phase) => void
  #metaschema: ValidateFunction | undefined

  constructor(enter: (phase: Phase) => void = () => {}) {
    this.#enter = enter
  }

  /** What is wrong with a value by a schema, which is JSON text; undefined when nothing is. */
  check(schemaText: string, value: unknown, options: SchemaOptions = {}): SchemaRefusal | undefined {
    const compiled = this.#compile(schemaText, options)
    if ('refusal' in compiled) return compiled.refusal
    this.#enter('judging')
    try {
      return compiled.validate(value) ? undefined : describe(compiled.validate.errors?.[0])
    } catch (error) {
      if (error instanceof RangeError) return circular
      throw error
    }
  }

  /** What is wrong with a schema. */
  checkSchema(schemaText: string): SchemaRefusal | undefined {
    const compiled = this.#compile(schemaText, {})
    return 'refusal' in compiled && (compiled.refusal.kind === 'schema' || compiled.refusal.kind === 'limit') ? compiled.refusal : undefined
  }

  #compile(text: string, options: SchemaOptions): Compiled {
    const key = `${options.ignoreRequired ? 'r' : ''}${options.acceptsPydantic1 ? 'm' : ''}${options.allowsNullForDefaults ? 'n' : ''} ${text}`
    const known = this.#compiled.get(key)
    if (known) return known
    this.#enter('compiling')
    const compiled = this.#compileAnew(text, options)
    this.#compiled.set(key, compiled, text.length)
    return compiled
  }

  #compileAnew(text: string, options: SchemaOptions): Compiled {
    try {
      const read = tryParse(text)
      if (read === undefined) return { refusal: { kind: 'schema', path: '', reason: 'is not a JSON object' } }
      const schema = adaptSchema(read, options)
      this.#metaschema ??= compileMetaschema(ajvOptions)
      if (!this.#metaschema(schema)) return { refusal: { ...describe(this.#metaschema.errors?.[0]), kind: 'schema' } }
      return compileSchema(schema, ajvOptions, deadEndsMax)
    } catch (error) {
      if (error instanceof RangeError) return { refusal: limitRefusal(tooDeepMessage) }
      // A pattern that is not a regular expression, for instance.
      return { refusal: { kind: 'value', path: '', reason: error instanceof Error ? error.message : String(error) } }
    }
  }
}

/** Inputs of flow runs are kept as any text, their schemas too. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const circular: SchemaRefusal = { kind: 'circular', path: '', reason: 'The schema refers to itself without end' }

function describe(error: ErrorObject | undefined): SchemaRefusal {
  const place = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), '')
  const params = (error?.params ?? {}) as Record<string, unknown>
  const more = params.allowedValues ?? params.additionalProperty ?? params.unevaluatedProperty
  return {
    kind: 'value',
    path: place,
    reason: truncate(`${error?.message ?? 'is not valid'}${more === undefined ? '' : `: ${JSON.stringify(more)}`}`),
  }
}

/** The stack of the thread ran out while a schema was compiled. */
export const tooDeepMessage = 'The schema is too large, too deeply nested or refers to itself without end. Simplify it.'

/** Messages quote the schema and the value, which can be large. */
export const truncate = (message: string): string => (message.length > reasonLengthMax ? `${message.slice(0, reasonLengthMax)}…` : message)
