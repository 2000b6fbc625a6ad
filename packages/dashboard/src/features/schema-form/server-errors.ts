import type { ValidationError } from '@millrace/contracts/error.ts'
import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { FieldErrors } from './validate-value.ts'

/** The server's judgement of a form's values, by the place of the field as the form has it. */
export function flattenSchemaErrors(errors: readonly SchemaValueError[]): FieldErrors {
  const faults: Record<string, string> = {}
  const walk = (found: readonly SchemaValueError[], at: readonly (string | number)[]) => {
    for (const error of found) {
      if (typeof error === 'string') {
        const place = at.join('.')
        faults[place] = faults[place] ? `${faults[place]}; ${error}` : error
      } else walk(error.errors, [...at, 'property' in error ? error.property : error.index])
    }
  }
  walk(errors, [])
  return faults
}

/** Of the faults of a refused request, those within one part of its body, such as `parameters`. */
export function errorsUnder(faults: readonly ValidationError[], part: string): FieldErrors {
  return Object.fromEntries(
    faults.filter(({ loc }) => loc[0] === 'body' && loc[1] === part).map(({ loc, msg }) => [loc.slice(2).join('.'), msg] as const),
  )
}
