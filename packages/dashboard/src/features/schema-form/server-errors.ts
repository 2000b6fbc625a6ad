import type { ValidationError } from '@millrace/contracts/error.ts'
import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { FieldErrors } from './validate-value.ts'

/** Server validation errors by field path. */
export function flattenSchemaErrors(errors: readonly SchemaValueError[]): FieldErrors {
  const messages: Record<string, string> = {}
  const walk = (found: readonly SchemaValueError[], at: readonly (string | number)[]) => {
    for (const error of found) {
      if (typeof error === 'string') {
        const path = at.join('.')
        messages[path] = messages[path] ? `${messages[path]}; ${error}` : error
      } else walk(error.errors, [...at, 'property' in error ? error.property : error.index])
    }
  }
  walk(errors, [])
  return messages
}

/** Errors of a rejected request within one part of its body, such as `parameters`. */
export function errorsUnder(errors: readonly ValidationError[], part: string): FieldErrors {
  return Object.fromEntries(
    errors.filter(({ loc }) => loc[0] === 'body' && loc[1] === part).map(({ loc, msg }) => [loc.slice(2).join('.'), msg] as const),
  )
}
