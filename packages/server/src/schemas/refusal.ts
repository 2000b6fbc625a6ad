/**
 * Why a value is rejected. `schema`: the schema is invalid; `circular`: it refers to itself endlessly; `limit`: the check takes more time or memory
 * than allowed, or the input is too large. The reason of a `limit` is a full sentence; the others continue one ("The parameter a …").
 */
export interface SchemaRefusal {
  readonly kind: 'value' | 'schema' | 'circular' | 'limit'
  /** The path in the value, such as `limits[0]`; empty for the value itself. */
  readonly path: string
  readonly reason: string
}

export interface SchemaOptions {
  /** Accepts missing required fields. */
  readonly ignoreRequired?: boolean
  /** Accepts schemas of Pydantic 1: optional fields may be null, a list of `items` is a tuple, and blocks may be given by reference. */
  readonly acceptsPydantic1?: boolean
  /** With `acceptsPydantic1`: fields with a default may be null too. */
  readonly allowsNullForDefaults?: boolean
}

export const limitRefusal = (reason: string): SchemaRefusal => ({ kind: 'limit', path: '', reason })

/** The refusal as a sentence: `The parameter "a" must be integer`. */
export function refusalSentence({ kind, path, reason }: SchemaRefusal, noun: string): string {
  if (kind === 'limit') return reason
  return `${path ? `The ${noun} "${path}"` : `The ${noun}s`} ${reason}`
}

/** The current activity of a checker. Compilation depends on the schema only, so a schema that compiles too slowly always will. */
export type Phase = 'idle' | 'compiling' | 'validating'

/** Indexed by the number that the worker thread stores in shared memory. */
export const phases: readonly Phase[] = ['idle', 'compiling', 'validating']
