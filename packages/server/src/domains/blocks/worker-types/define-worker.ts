import { definition, map, properties, text, textMap } from '../system-blocks/fields.ts'
import type { Field, SystemBlock } from '../system-blocks/system-block.ts'

interface WorkerSpec {
  readonly type: string
  /** The client's package that has the worker, which is also the collection it is listed under. */
  readonly collection: string
  readonly displayName: string
  readonly description: string
  /** What a job is made of; `{{ name }}` stands for a variable. */
  readonly job: Readonly<Record<string, unknown>>
  /** The variables that jobs of every kind have are there already. */
  readonly variables: Readonly<Record<string, Field>>
  readonly definitions?: Readonly<Record<string, object>>
}

/** A kind of worker, as clients list it and make work pools of it. */
export interface WorkerType {
  readonly collection: string
  readonly metadata: { readonly type: string } & Readonly<Record<string, unknown>>
}

const commonJobVariables = {
  name: text('What the infrastructure of a run is called.'),
  env: textMap('Environment variables for the run.', { title: 'Environment Variables' }),
  labels: textMap('Labels for the infrastructure.'),
  command: text('The command that starts the run. The worker knows it: leave it out unless you need another.'),
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

/** Each name with the variable of that name as its value. */
export const asVariables = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, variable(name)]))

export const variable = (name: string): string => `{{ ${name} }}`

/** What variables refer to by the title of a block. */
function definitionsOf({ title, fields }: SystemBlock): Record<string, object> {
  const { definitions, ...own } = fields as { definitions?: Record<string, object> }
  return { ...definitions, [title]: { ...own, block_schema_references: {} } }
}

/** A part of a variable that is no block. */
export const objectDefinition = (title: string, fields: Readonly<Record<string, Field>>): Record<string, object> => ({
  [title]: {
    title,
    type: 'object',
    properties: properties(fields),
    required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  },
})

export const listOf = (description: string, name: string): Field => map(description, { type: 'array', items: definition(name) })
