import type { Clock } from '../lib/time.ts'
import type { BlockData, TemplateVerdict } from './job-template.ts'
import type { FormVerdict, Operations, Request } from './operations.ts'
import { limitRefusal, type SchemaOptions, type SchemaRefusal } from './refusal.ts'
import { SchemaThreadPool, type ThreadPoolLimits } from './schema-thread-pool.ts'

export interface ValidatorLimits extends ThreadPoolLimits {
  readonly schemaBytes: number
  readonly valueBytes: number
}

/** Reads the data of blocks, as JSON text. */
export type ReadBlocks = (ids: readonly string[]) => Promise<BlockData>

/**
 * Checks the schemas that users send, and values by them, on worker threads and never on that of the event loop, with limits on time, memory and size.
 * Schemas, values and templates are JSON text. A limit is a refusal like others; too many requests at once are a 503.
 */
export class SchemaValidator {
  readonly #limits: ValidatorLimits
  readonly #threads: SchemaThreadPool

  constructor(limits: ValidatorLimits, clock: Clock) {
    this.#limits = limits
    this.#threads = new SchemaThreadPool(limits, clock)
  }

  /** What is wrong with a value by a schema; undefined when nothing is. */
  async validate(schema: string, value: string, options: SchemaOptions = {}): Promise<SchemaRefusal | undefined> {
    return this.#oversized(schema, [value]) ?? this.#run('check', { schema, value, options }, (refusal) => refusal)
  }

  /** What is wrong with a schema. */
  async checkSchema(schema: string): Promise<SchemaRefusal | undefined> {
    return this.#oversized(schema, []) ?? this.#run('checkSchema', { schema }, (refusal) => refusal)
  }

  /** Everything that is wrong with the values of a form, or why the schema cannot be used. Variables are pairs of a name and JSON text. */
  async validateForm(schema: string, values: string, variables: readonly (readonly [string, string])[]): Promise<FormVerdict> {
    const unusable = ({ reason }: SchemaRefusal): FormVerdict => ({ badSchema: reason })
    const oversized = this.#oversized(schema, [values, ...variables.map(([, value]) => value)])
    return oversized ? unusable(oversized) : this.#run('checkForm', { schema, values, variables }, unusable)
  }

  /** What is wrong with the defaults of a base job template. */
  checkTemplateDefaults(template: string, readBlocks: ReadBlocks): Promise<SchemaRefusal | undefined> {
    return this.#checkTemplate(template, [], readBlocks, (blocks) => this.#run('checkDefaults', { schema: template, blocks }, refused))
  }

  /** What is wrong with layers of job variables on top of the defaults of a base job template. With `partial`, required ones may come later. */
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

  /** The thread says which blocks it needs, since templates are not read here. */
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
    const last = this.#oversized(template, Object.values(blocks))
    const second = last ? refused(last) : await check(blocks)
    return 'refusal' in second ? second.refusal : undefined
  }

  async #run<K extends keyof Operations>(
    operation: K,
    request: Parameters<Operations[K]>[0],
    stopped: (refusal: SchemaRefusal) => Awaited<ReturnType<Operations[K]>>,
  ): Promise<Awaited<ReturnType<Operations[K]>>> {
    const answered = await this.#threads.run({ operation, request } as Request)
    return 'answer' in answered ? (answered.answer as Awaited<ReturnType<Operations[K]>>) : stopped(answered.refusal)
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
