import { definition, map, properties, text, textMap } from '../system-blocks/fields.ts'
import type { Field, SystemBlock } from '../system-blocks/system-block.ts'

interface WorkerSpec {
  readonly type: string
  /** The client package of the worker, also the name of its collection. */
  readonly collection: string
  readonly displayName: string
  readonly description: string
  /** The job configuration; `{{ name }}` is replaced by a variable. */
  readonly job: Readonly<Record<string, unknown>>
  /** Variables in addition to the common ones. */
  readonly variables: Readonly<Record<string, Field>>
  readonly definitions?: Readonly<Record<string, object>>
}

/** A worker type, as clients list it to create work pools. */
export interface WorkerType {
  readonly collection: string
  readonly metadata: { readonly type: string } & Readonly<Record<string, unknown>>
}

const commonJobVariables = {
  name: text('The name of the infrastructure of a run.'),
  env: textMap('Environment variables for the run.', { title: 'Environment Variables' }),
  labels: textMap('Labels for the infrastructure.'),
  command: text('The command that starts the run. Leave it empty to use the default.'),
}

export function workerType({ type, collection, displayName, description, job, variables, definitions }: WorkerSpec): WorkerType {
  const fields = { ...commonJobVariables, ...variables }
  const required = Object.keys(fields).filter((name) => (fields as Record<string, Field>)[name]?.isRequired)
  const blocks = Object.values(fields).flatMap((field: Field) => field.blocks)
  const defined = { ...Object.assign({}, ...blocks.map(definitionsOf)), ...definitions }
  return {
    collection,
    metadata: {
      type,
      display_name: displayName,
      description,
      documentation_url: null,
      logo_url: null,
      install_command: `pip install ${collection}`,
      is_beta: false,
      default_base_job_configuration: {
        job_configuration: { ...asVariables(Object.keys(commonJobVariables)), ...job },
        variables: {
          type: 'object',
          properties: properties(fields),
          ...(required.length > 0 ? { required } : {}),
          ...(Object.keys(defined).length > 0 ? { definitions: defined } : {}),
        },
      },
    },
  }
}

/** Maps each name to the variable with that name. */
export const asVariables = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, variable(name)]))

export const variable = (name: string): string => `{{ ${name} }}`

/** Definitions of the blocks that variables reference by title. */
function definitionsOf({ title, fields }: SystemBlock): Record<string, object> {
  const { definitions, ...own } = fields as { definitions?: Record<string, object> }
  return { ...definitions, [title]: { ...own, block_schema_references: {} } }
}

/** A definition of an object that is not a block. */
export const objectDefinition = (title: string, fields: Readonly<Record<string, Field>>): Record<string, object> => ({
  [title]: {
    title,
    type: 'object',
    properties: properties(fields),
    required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  },
})

export const listOf = (description: string, name: string): Field => map(description, { type: 'array', items: definition(name) })
