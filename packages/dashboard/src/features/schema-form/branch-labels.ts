import { fieldKind } from './field-kind.ts'
import type { Schema } from './json-schema.ts'
import { resolveSchema } from './resolve-schema.ts'

const kindLabels: Readonly<Record<ReturnType<typeof fieldKind>, string>> = {
  text: 'Text',
  'long-text': 'Text',
  password: 'Secret',
  date: 'Date',
  'date-time': 'Date and time',
  duration: 'Duration',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Boolean',
  choice: 'Choice',
  const: 'Fixed',
  list: 'List',
  map: 'Key-value pairs',
  object: 'Object',
  union: 'One of several',
  json: 'JSON',
}

/** A label for each branch of a union. Equal labels are numbered. */
export function branchLabels(branches: readonly Schema[], root: Schema): string[] {
  const words = branches.map((branch) => {
    const inner = resolveSchema(branch, root)
    if (inner.const !== undefined) return String(inner.const)
    return inner.title ?? kindLabels[fieldKind(inner)]
  })
  return words.map((word, index) => (words.indexOf(word) === words.lastIndexOf(word) ? word : `${word} ${index + 1}`))
}
