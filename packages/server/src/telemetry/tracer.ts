import { AsyncLocalStorage } from 'node:async_hooks'
import type { Random } from '../lib/random.ts'
import type { Clock, Micros } from '../lib/time.ts'
import type { AttributeValue, Span, SpanContext, SpanKind } from './span.ts'

export interface TracerOptions {
  readonly clock: Clock
  readonly random: Random
  /** Share of the new traces that are sampled. */
  readonly sampleRatio: number
  /** Called with each finished span of a sampled trace. */
  finish(span: Span): void
}

export interface SpanOptions {
  readonly kind?: SpanKind
  /** The current span by default. Null starts a new trace. */
  readonly parent?: SpanContext | null | undefined
  readonly start?: Micros
  readonly attributes?: Record<string, AttributeValue>
  readonly links?: readonly SpanContext[]
}

/** Creates spans and passes finished ones on. Spans of traces that are not sampled are created too, so that their children are not sampled either. */
export class Tracer {
  readonly #current = new AsyncLocalStorage<Span>()
  readonly #options: TracerOptions

  constructor(options: TracerOptions) {
    this.#options = options
  }

  now(): Micros {
    return this.#options.clock.now()
  }

  get current(): Span | undefined {
    return this.#current.getStore()
  }

  start(name: string, options: SpanOptions = {}): Span {
    const parent = options.parent === undefined ? this.current : options.parent
    const traceId = parent?.traceId ?? this.#newId(16)
    const start = options.start ?? this.now()
    return {
      traceId,
      spanId: this.#newId(8),
      parentSpanId: parent?.spanId,
      isSampled: parent ? parent.isSampled : isSampled(traceId, this.#options.sampleRatio),
      name,
      kind: options.kind ?? 'internal',
      start,
      end: start,
      attributes: { ...options.attributes },
      links: options.links ?? [],
      error: undefined,
    }
  }

  end(span: Span, error?: unknown, at = this.now()): void {
    span.end = at
    if (error !== undefined) span.error = error instanceof Error ? error.message : String(error)
    if (span.isSampled) this.#options.finish(span)
  }

  #newId(size: number): string {
    return Buffer.from(this.#options.random.bytes(size)).toString('hex')
  }

  /** Makes a span the current one for everything that the call starts. */
  run<R>(span: Span, call: () => R): R {
    return this.#current.run(span, call)
  }

  /** Runs a call that concerns no request, although one caused it. */
  runDetached<R>(call: () => R): R {
    return this.#current.exit(call)
  }
}

/** Depends on the trace alone, so that all services with the same ratio sample the same traces. */
const isSampled = (traceId: string, ratio: number): boolean => ratio >= 1 || Number.parseInt(traceId.slice(16, 24), 16) / 0x1_0000_0000 < ratio
