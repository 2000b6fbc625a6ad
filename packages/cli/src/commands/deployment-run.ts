import { ConflictError } from '@millrace/client/errors.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentFlowRunCreate, FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { collectPairs } from '../option-values.ts'
import { momentField, printFields } from '../output/details.ts'
import type { Column } from '../output/table.ts'
import { quoted, toSingleLine } from '../output/text-width.ts'
import { readParameters } from '../parameter-values.ts'
import { resolveDeployment } from '../resolve.ts'
import { flowRunUrl, showRun } from '../show-run.ts'
import { parseDurationOption, parseTimeOption, secondsFromNow } from '../time-values.ts'
import { parameterLines } from './deployment-inspect.ts'

interface RunOptions {
  readonly param?: Record<string, unknown>
  readonly params?: string
  readonly jobVariable?: Record<string, unknown>
  readonly startIn?: number
  readonly startAt?: string
  readonly tag?: string[]
  readonly name?: string
  readonly queue?: string
  readonly idempotencyKey?: string
  readonly watch?: boolean
  readonly logs?: boolean
}

const createdFields: readonly Column<FlowRunResponse & { readonly url: string }>[] = [
  { title: 'ID', value: ({ id }) => id },
  momentField('Starts', ({ next_scheduled_start_time, expected_start_time }) => next_scheduled_start_time ?? expected_start_time),
  { title: 'URL', value: ({ url }) => url },
]

export function deploymentRunCommand(group: Command, cli: Cli): void {
  const run = group
    .command('run')
    .summary('Create a flow run of a deployment')
    .argument('<deployment>', 'flow/deployment, id or unique name')
    .option('-p, --param <key=value>', 'parameter; JSON, or text that is not JSON; can be repeated', collectPairs)
    .option('--params <json>', 'parameters: JSON, @FILE, or - for stdin; --param overrides them')
    .option('--job-variable <key=value>', 'job variable of the work pool; can be repeated', collectPairs)
    .option('--start-in <duration>', 'start after this time, such as 5m or 2h', parseDurationOption)
    .option('--start-at <time>', 'start at this time, such as 2026-05-01T12:00:00Z', parseTimeOption)
    .option('--tag <tag...>', 'tags, in addition to those of the deployment')
    .option('--name <name>', 'name of the run (default: a random name)')
    .option('--queue <name>', 'work queue (default: that of the deployment)')
    .option('--idempotency-key <key>', 'create at most one run with this key')
    .option('--watch', 'follow the run until it ends; the exit code is 0 if it completed, otherwise 28')
    .option('--logs', 'with --watch: also print its logs')
    .action(async (reference: string, options: RunOptions) => {
      if (options.startIn !== undefined && options.startAt !== undefined) throw new UsageError('Give either --start-in or --start-at.')
      if (options.logs && !options.watch) throw new UsageError('--logs needs --watch.')
      const given = options.params === undefined ? {} : await readParameters(cli.io, options.params, '--params')
      const parameters = { ...given, ...options.param }
      const { deployment, title } = await resolveDeployment(cli.client, reference)
      assertKnownParameters(deployment, title, Object.keys(parameters))
      const created = await createRun(cli, deployment, title, toBody(options, parameters))
      if (cli.output.isStructured) {
        // With --watch the run is printed once it has ended.
        if (!options.watch) return cli.output.data(created)
      } else {
        cli.output.text(`Created flow run ${quoted(created.name)} of ${title}.`)
        printFields(cli, { ...created, url: flowRunUrl(cli, created.id) }, createdFields)
      }
      if (options.watch) await showRun(cli, created, options)
    })
  withExamples(
    run,
    ['deployment run etl/prod'],
    ['deployment run etl/prod -p rows=1000 -p region=eu --watch --logs', 'and follow it until it ends'],
    ['deployment run etl/prod --params @params.json --start-in 10m'],
  )
}

function toBody(
  { jobVariable, startIn, startAt, tag, name, queue, idempotencyKey }: RunOptions,
  parameters: Record<string, unknown>,
): DeploymentFlowRunCreate {
  const start = startAt ?? (startIn === undefined ? undefined : secondsFromNow(startIn))
  return {
    parameters,
    ...(start && { state: { type: 'SCHEDULED' as const, state_details: { scheduled_time: start } } }),
    ...(jobVariable && { job_variables: jobVariable }),
    ...(tag && { tags: tag }),
    ...(name && { name }),
    ...(queue && { work_queue_name: queue }),
    ...(idempotencyKey && { idempotency_key: idempotencyKey }),
  }
}

/** A schema accepts further parameters unless it forbids them, but the flow would fail at its start. */
function assertKnownParameters(deployment: DeploymentResponse, title: string, names: readonly string[]): void {
  const { enforce_parameter_schema: isChecked, parameter_openapi_schema: schema } = deployment
  if (!isChecked || !schema?.properties || schema.additionalProperties) return
  const unknown = names.filter((name) => !Object.hasOwn(schema.properties as object, name))
  if (unknown.length === 0) return
  const lines = unknown.map((name) => `  ${toSingleLine(name)}: unknown parameter`)
  throw invalidParameters(deployment, title, lines)
}

/** The server rejects invalid parameters with the first error only, so all errors are requested for the message. */
async function createRun(cli: Cli, deployment: DeploymentResponse, title: string, body: DeploymentFlowRunCreate): Promise<FlowRunResponse> {
  try {
    return await cli.client.deployments.createFlowRun(deployment.id, body)
  } catch (error) {
    const schema = deployment.parameter_openapi_schema
    if (!(error instanceof ConflictError) || !schema || !deployment.enforce_parameter_schema) throw error
    const values = { ...deployment.parameters, ...body.parameters }
    const { errors } = await cli.client.server.validateSchemaValues({ schema, values })
    if (errors.length === 0) throw error
    throw invalidParameters(deployment, title, errorLines(errors, ''))
  }
}

function invalidParameters(deployment: DeploymentResponse, title: string, lines: readonly string[]): CommandError {
  const known = parameterLines(deployment).map((line) => `  ${line}`)
  return new CommandError([`Invalid parameters for ${title}:`, ...lines, 'Parameters of the deployment:', ...known].join('\n'))
}

/** One line for each error: `  limits[0].rows: must be integer`. */
function errorLines(errors: readonly SchemaValueError[], path: string): string[] {
  return errors.flatMap((error) => {
    if (typeof error === 'string') return [`  ${toSingleLine(path ? `${path}: ${error}` : error)}`]
    if ('index' in error) return errorLines(error.errors, `${path}[${error.index}]`)
    return errorLines(error.errors, path ? `${path}.${error.property}` : error.property)
  })
}
