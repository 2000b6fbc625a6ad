/**
 * Why a value is refused. `schema`: the schema itself is not valid; `circular`: it refers to itself without end; `limit`: checking it takes more time
 * or memory than allowed, or it is too large. The reason of a `limit` is a whole sentence, the others continue one ("The parameter a …").
 */
export interface SchemaRefusal {
  readonly kind: 'value' | 'schema' | 'circular' | 'limit'
  /** Where in the value, such as `limits[0]`; empty for the value as a whole. */
  readonly path: string
  readonly reason: string
}

export interface SchemaOptions {
  /** Accepts a part of the whole: missing fields may follow later. */
  readonly ignoreRequired?: boolean
  /** Reads schemas written by Pydantic 1: optional fields may be null, lists of `items` are tuples. Blocks may be given by reference. */
  readonly acceptsPydantic1?: boolean
  /** With `mend`: fields with a default may be null too. */
  readonly allowsNullForDefaults?: boolean
}

export const limitRefusal = (reason: string): SchemaRefusal => ({ kind: 'limit', path: '', reason })

/** The refusal as a sentence about a noun and its parts: `The parameter "a" must be integer`. */
export function refusalSentence({ kind, path: place, reason }: SchemaRefusal, noun: string): string {
  if (kind === 'limit') return reason
  return `${place ? `The ${noun} "${place}"` : `The ${noun}s`} ${reason}`
}

/** What a checker is doing. A compilation depends on the schema alone, so that one that takes too long always will. */
export type Phase = 'idle' | 'compiling' | 'judging'

/** By the number that the worker thread notes in shared memory. */
export const phases: readonly Phase[] = ['idle', 'compiling', 'judging']
