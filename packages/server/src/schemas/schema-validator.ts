import type { Clock } from '../lib/time.ts'
import type { BlockData, TemplateVerdict } from './job-template.ts'
import type { FormVerdict, Operations, Request } from './operations.ts'
import { limitRefusal, type SchemaOptions, type SchemaRefusal } from './refusal.ts'
import { SchemaThreadPool, type ThreadPoolLimits } from './schema-thread-pool.ts'

export interface ValidatorLimits extends ThreadPoolLimits {
  readonly schemaBytes: number
  readonly valueBytes: number
}

/** Reads the data of blocks as JSON text. */
export type ReadBlocks = (ids: readonly string[]) => Promise<BlockData>

/**
 * Validates schemas of users, and values by them, on worker threads with limits on time, memory and size. Schemas, values and templates are JSON text.
 * An exceeded limit is a refusal like any other; too many requests at once are rejected with 503.
 */
export class SchemaValidator {
  readonly #limits: ValidatorLimits
  readonly #threads: SchemaThreadPool

  constructor(limits: ValidatorLimits, clock: Clock) {
    this.#limits = limits
    this.#threads = new SchemaThreadPool(limits, clock)
  }

  /** Validates a value by a schema. Returns undefined for a valid value. */
  async validate(schema: string, value: string, options: SchemaOptions = {}): Promise<SchemaRefusal | undefined> {
    return this.#oversized(schema, [value]) ?? this.#run('check', { schema, value, options }, (refusal) => refusal)
  }

  /** Validates a schema. */
  async checkSchema(schema: string): Promise<SchemaRefusal | undefined> {
    return this.#oversized(schema, []) ?? this.#run('checkSchema', { schema }, (refusal) => refusal)
  }

  /** Returns all faults of the values of a form, or why the schema is unusable. Variables are pairs of a name and JSON text. */
  async validateForm(schema: string, values: string, variables: readonly (readonly [string, string])[]): Promise<FormVerdict> {
    const unusable = ({ reason }: SchemaRefusal): FormVerdict => ({ badSchema: reason })
    const oversized = this.#oversized(schema, [values, ...variables.map(([, value]) => value)])
    return oversized ? unusable(oversized) : this.#run('checkForm', { schema, values, variables }, unusable)
  }

  /** Validates the defaults of a base job template. */
  checkTemplateDefaults(template: string, readBlocks: ReadBlocks): Promise<SchemaRefusal | undefined> {
    return this.#checkTemplate(template, [], readBlocks, (blocks) => this.#run('checkDefaults', { schema: template, blocks }, refused))
  }

  /** Validates layers of job variables on top of the defaults of a base job template. With `partial`, required ones may be missing. */
  validateJobVariables(
    template: string,
    layers: readonly string[],
    { partial }: { readonly partial: boolean },
    readBlocks: ReadBlocks,
  ): Promise<SchemaRefusal | undefined> {
    const check = (blocks: BlockData | undefined) => this.#run('checkVariables', { schema: template, layers, partial, blocks }, refused)
    return this.#checkTemplate(template, layers, readBlocks, check)
  }

  close(): Promise<void> {
    return this.#threads.close()
  }

  /** Templates are parsed in the thread, which reports the blocks it needs. */
  async #checkTemplate(
    template: string,
    values: readonly string[],
    readBlocks: ReadBlocks,
    check: (blocks: BlockData | undefined) => Promise<TemplateVerdict>,
  ): Promise<SchemaRefusal | undefined> {
    const oversized = this.#oversized(template, values)
    if (oversized) return oversized
    const first = await check(undefined)
    if ('refusal' in first) return first.refusal
    const blocks = await readBlocks(first.blocks)
    const oversizedBlocks = this.#oversized(template, Object.values(blocks))
    const second = oversizedBlocks ? refused(oversizedBlocks) : await check(blocks)
    return 'refusal' in second ? second.refusal : undefined
  }

  async #run<K extends keyof Operations>(
    operation: K,
    request: Parameters<Operations[K]>[0],
    stopped: (refusal: SchemaRefusal) => Awaited<ReturnType<Operations[K]>>,
  ): Promise<Awaited<ReturnType<Operations[K]>>> {
    const result = await this.#threads.run({ operation, request } as Request)
    return 'answer' in result ? (result.answer as Awaited<ReturnType<Operations[K]>>) : stopped(result.refusal)
  }

  #oversized(schema: string, values: readonly string[]): SchemaRefusal | undefined {
    const { schemaBytes, valueBytes } = this.#limits
    if (bytesOf([schema]) > schemaBytes)
      return limitRefusal(`The schema is larger than ${schemaBytes} bytes (setting server.schemas.schema_limit_bytes). Simplify it.`)
    if (bytesOf(values) > valueBytes)
      return limitRefusal(`The values to check are larger than ${valueBytes} bytes (setting server.schemas.value_limit_bytes).`)
    return undefined
  }
}

const refused = (refusal: SchemaRefusal): TemplateVerdict => ({ refusal })

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
