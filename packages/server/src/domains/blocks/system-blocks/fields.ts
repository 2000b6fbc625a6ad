import type { Field, SystemBlock } from './system-block.ts'

type More = Readonly<Record<string, unknown>>

const field = (schema: Field['schema'], rest: Partial<Field> = {}): Field => ({ schema, isRequired: false, secrets: [], blocks: [], ...rest })

/** The default title of `region_name` is "Region Name". */
export const titleOf = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (match, letter: string) => `${match[0] === '_' ? ' ' : ''}${letter.toUpperCase()}`)

const password = { type: 'string', format: 'password', writeOnly: true }

export const text = (description: string, more: More = {}): Field => field({ description, type: 'string', ...more })
export const path = (description: string, more: More = {}): Field => text(description, { format: 'path', ...more })
export const integer = (description: string, more: More = {}): Field => field({ description, type: 'integer', ...more })
export const number = (description: string, more: More = {}): Field => field({ description, type: 'number', ...more })
export const flag = (description: string, more: More = {}): Field => field({ description, type: 'boolean', ...more })
export const textList = (description: string, more: More = {}): Field => field({ description, type: 'array', items: { type: 'string' }, ...more })
export const map = (description: string, more: More = {}): Field => field({ description, type: 'object', ...more })
export const textMap = (description: string, more: More = {}): Field => map(description, { additionalProperties: { type: 'string' }, ...more })
export const secret = (description: string, more: More = {}): Field => field({ description, ...password, ...more }, { secrets: [''] })
export const secretMap = (description: string, more: More = {}): Field => field({ description, type: 'object', ...more }, { secrets: ['.*'] })
export const choice = (description: string, values: readonly string[], more: More = {}): Field =>
  field({ description, type: 'string', enum: values, ...more })

/** A value that matches one of several schemas. */
export const either = (description: string, anyOf: readonly object[], more: More = {}, rest: Partial<Field> = {}): Field =>
  field({ description, anyOf, ...more }, rest)

/** A reference to a block of one of these types. */
export function block(description: string, blocks: readonly SystemBlock[], more: More = {}): Field {
  const references = blocks.map(({ title }) => definition(title))
  return field({ description, [references.length === 1 ? 'allOf' : 'anyOf']: references, ...more }, { blocks })
}

/** An object within the block that is not a block itself. */
export const nestedObject = (description: string, name: string, more: More = {}): Field => field({ description, allOf: [definition(name)], ...more })

export const definition = (name: string) => ({ $ref: `#/definitions/${name}` })

export const required = (given: Field): Field => ({ ...given, isRequired: true })

/** Makes a field nullable; null is the default unless another one is set. */
export function orNull({ schema, ...rest }: Field): Field {
  const { description, title, default: fallback = null, ...type } = schema
  return field({ ...(title ? { title } : {}), description, anyOf: [type, { type: 'null' }], default: fallback }, rest)
}

/** JSON Schema of an object within a block. */
export const properties = (fields: Readonly<Record<string, Field>>): object =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, { title: titleOf(name), ...schema }]))
