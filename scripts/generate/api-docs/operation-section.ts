import { curlExample } from './curl-examples.ts'
import type { ListedOperation, OpenApiDocument, Schema } from './openapi-types.ts'
import { describeDefault, describeType, fieldTable } from './schema-text.ts'

/** Statuses that every operation can answer with; the index describes them. */
export const commonErrors: readonly string[] = ['400', '401', '403', '408', '413', '415', '421', '422', '503']

const resolverOf =
  ({ components }: OpenApiDocument) =>
  (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {})

/** The reference of one operation. */
export function operationSection(operation: ListedOperation, document: OpenApiDocument): string[] {
  const resolve = resolverOf(document)
  const { method, path, summary, description, 'x-scope': scope, 'x-kind': kind } = operation
  const example = curlExample(operation, resolve)
  return [
    '',
    `## ${summary}`,
    '',
    `\`${method} ${path}\` · ${kind} · scope \`${scope}\``,
    ...(description ? ['', description] : []),
    ...parameterTable(operation),
    ...bodyLines(operation, resolve),
    '',
    responseLine(operation),
    ...(example === undefined ? [] : ['', '```sh', example, '```']),
  ]
}

function parameterTable({ parameters }: ListedOperation): string[] {
  // Every operation accepts and ignores this header.
  const shown = parameters.filter(({ name }) => name !== 'x-service-api-version')
  if (shown.length === 0) return []
  if (shown.every(({ in: place }) => place === 'path'))
    return ['', `Path: ${shown.map(({ name, schema }) => `\`${name}\` (${describeType(schema)})`).join(', ')}`]
  return [
    '',
    '| parameter | in | type | default |',
    '|---|---|---|---|',
    ...shown.map(
      ({ name, in: place, schema, required }) => `| \`${name}\` | ${place} | ${describeType(schema)} | ${describeDefault(schema, required)} |`,
    ),
  ]
}

function bodyLines({ requestBody }: ListedOperation, resolve: (schema: Schema) => Schema): string[] {
  if (!requestBody) return []
  const schema = Object.values(requestBody.content)[0]?.schema ?? {}
  const table = fieldTable(resolve(schema))
  const name = schema.$ref === undefined && table.length > 0 ? ':' : `: ${describeType(schema)}`
  const optional = requestBody.required ? '' : ' (optional)'
  return ['', `Body${optional}${name}`, ...(table.length > 0 ? ['', ...table] : [])]
}

function responseLine({ responses }: ListedOperation): string {
  const statuses = Object.keys(responses)
  const answers = statuses
    .filter((status) => status < '300')
    .map((status) => {
      const [[type, { schema }] = [undefined, { schema: undefined }]] = Object.entries(responses[status]?.content ?? {})
      if (type === undefined || schema === undefined) return `\`${status}\` without a body`
      return `\`${status}\` ${type === 'application/json' ? describeType(schema) : type}`
    })
  const errors = statuses.filter((status) => status >= '300' && !commonErrors.includes(status))
  return `Answers: ${answers.join('; ')}.${errors.length > 0 ? ` Errors: ${errors.map((status) => `\`${status}\``).join(', ')}.` : ''}`
}
