import type { Micros } from '../lib/time.ts'

/** The identity of a span in a trace, as in the `traceparent` header (W3C Trace Context). */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

export type SpanKind = 'internal' | 'server' | 'client'
export type AttributeValue = string | number | boolean

/** A finished or running operation of a trace. */
export interface Span extends SpanContext {
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly start: Micros
  end: Micros
  readonly attributes: Record<string, AttributeValue>
  readonly links: readonly SpanContext[]
  /** Why the operation failed; undefined if it did not. */
  error: string | undefined
}

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent` header. Undefined if it is missing or invalid, which starts a new trace. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = traceparentForm.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
