/** The schema that a reference stands for, with what is said beside the reference; and the name it goes by. */
export function resolve(schema, shapes) {
  if (!schema?.$ref) return { schema: schema ?? {}, name: undefined }
  const name = schema.$ref.split('/').at(-1)
  const { $ref: _, ...beside } = schema
  return { schema: { ...shapes[name], ...beside }, name }
}

/** What a value may be, null left out. */
export function choices(schema) {
  const members = schema.anyOf ?? schema.oneOf
  if (!members) return { members: [schema], isNullable: schema.type === 'null' }
  return { members: members.filter(({ type }) => type !== 'null'), isNullable: members.some(({ type }) => type === 'null') }
}

/** The schema of the values of a map, or nothing when it is no map. */
export function mapValues(schema) {
  if (schema.patternProperties) return Object.values(schema.patternProperties)[0]
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/** A word or two for the kind of a value: `array of FlowRun`, `string (uuid)`. */
export function kindOf(given, shapes) {
  const { schema, name } = resolve(given, shapes)
  const { members, isNullable } = choices(schema)
  const kind = name && !isWord(schema) ? name : members.map((member) => simpleKind(member, shapes)).join(' or ') || 'null'
  return isNullable && kind !== 'null' ? `${kind} or null` : kind
}

const isWord = (schema) => schema.enum !== undefined || schema.const !== undefined

function simpleKind(member, shapes) {
  if (member.$ref || member.anyOf || member.oneOf) return kindOf(member, shapes)
  if (member.const !== undefined) return JSON.stringify(member.const)
  if (member.enum) return member.enum.map((word) => JSON.stringify(word)).join(', ')
  if (member.type === 'array') return `array of ${member.items ? kindOf(member.items, shapes) : 'anything'}`
  const values = mapValues(member)
  if (values) return `map of ${kindOf(values, shapes)}`
  if (member.type === undefined) return 'anything'
  return member.format ? `${member.type} (${member.format})` : member.type
}

const limits = {
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  exclusiveMaximum: 'less than',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  minItems: 'items at least',
  maxItems: 'items at most',
  pattern: 'matches',
}

/** What else is asked of a value, in words. */
export function remarksOn(given, shapes) {
  const { schema } = resolve(given, shapes)
  const said = choices(schema).members.flatMap((member) => {
    const inner = resolve(member, shapes).schema
    return Object.entries(limits).flatMap(([key, words]) => (inner[key] === undefined ? [] : [`${words} ${inner[key]}`]))
  })
  if ('default' in schema) said.push(`default ${JSON.stringify(schema.default)}`)
  if (schema.deprecated) said.push('deprecated')
  return said
}

/** The objects that a value may be or hold, those behind lists, maps and choices too: what is worth unfolding. */
export function objectsWithin(given, shapes) {
  const { schema, name } = resolve(given, shapes)
  if (schema.properties) return [{ schema, name }]
  const inner = [...(schema.anyOf ?? schema.oneOf ?? []), schema.items, mapValues(schema)].filter((part) => part !== undefined)
  return inner.flatMap((part) => objectsWithin(part, shapes))
}
