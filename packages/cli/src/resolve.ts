import type { MillraceClient } from '@millrace/client/client.ts'
import { NotFoundError } from '@millrace/client/errors.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { Flow } from '@millrace/contracts/flow.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { TaskRun } from '@millrace/contracts/task-run.ts'
import { CommandError } from './errors.ts'
import { itemNotFound } from './find-item.ts'
import { ageColumn, idColumn, stateColumn } from './output/columns.ts'
import { type Column, formatTable } from './output/table.ts'
import { quoted, toSingleLine } from './output/text-width.ts'

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

export const isId = (text: string): boolean => uuidPattern.test(text)

/** Number of candidates that an error lists. One more is requested to know whether there are more. */
const candidatesMax = 5

/** Returns the only item of a search by name. Names that are not unique need an id; `columns` describe the candidates. */
export function onlyMatch<T extends { readonly id: string }>(
  items: readonly T[],
  noun: string,
  name: string,
  columns: readonly Column<NoInfer<T>>[] = [idColumn],
): T {
  const [item] = items
  if (!item) throw notFound(noun, name)
  if (items.length === 1) return item
  const rows = formatTable(items.slice(0, candidatesMax), columns, (_style, text) => text).replaceAll(/^/gm, '  ')
  const more = items.length > candidatesMax ? '\n  …' : ''
  throw new CommandError(`Several ${noun.toLowerCase()}s have the name ${quoted(name)}. Use an id:\n${rows}${more}`, 'ambiguous')
}

/** `flow-run ls` lists the names of a `Flow run`. */
const notFound = (noun: string, name: string) =>
  itemNotFound({ noun, name: toSingleLine(name), list: `${noun.toLowerCase().replaceAll(' ', '-')} ls` })

/** Names the item in the error: the server answers "Flow not found". */
async function named<T>(found: Promise<T>, noun: string, reference: string): Promise<T> {
  try {
    return await found
  } catch (error) {
    throw error instanceof NotFoundError ? notFound(noun, reference) : error
  }
}

/** A variable by name or id. */
export const resolveVariable = (client: MillraceClient, reference: string) =>
  named(isId(reference) ? client.variables.read(reference) : client.variables.readByName(reference), 'Variable', reference)

/** A flow by name or id. */
export const resolveFlow = (client: MillraceClient, reference: string): Promise<Flow> =>
  named(isId(reference) ? client.flows.read(reference) : client.flows.readByName(reference), 'Flow', reference)

export interface NamedDeployment {
  readonly deployment: DeploymentResponse
  /** `flow/deployment`, for one line of a terminal. */
  readonly title: string
}

/** A deployment by id, `flow/deployment` or unique name. */
export async function resolveDeployment(client: MillraceClient, reference: string): Promise<NamedDeployment> {
  const slash = reference.indexOf('/')
  if (slash > 0 && slash < reference.length - 1) {
    const [flow, name] = [reference.slice(0, slash), reference.slice(slash + 1)]
    return { deployment: await named(client.deployments.readByName(flow, name), 'Deployment', reference), title: toSingleLine(reference) }
  }
  const deployments = isId(reference)
    ? [await named(client.deployments.read(reference), 'Deployment', reference)]
    : await client.deployments.list({ deployments: { name: { any_: [reference] } }, limit: candidatesMax + 1 })
  const candidates = await withTitles(client, deployments)
  const { deployment, title } = onlyMatch(
    candidates.map((each) => ({ ...each, id: each.deployment.id })),
    'Deployment',
    reference,
    [
      idColumn,
      { title: 'DEPLOYMENT', value: (each) => each.title },
      ageColumn('CREATED', (each) => each.deployment.created),
      { title: 'STATUS', value: (each) => deploymentStatus(each.deployment) },
    ],
  )
  return { deployment, title }
}

/** `ready`, `not ready` or `paused`. */
export const deploymentStatus = ({ paused, status }: Pick<DeploymentResponse, 'paused' | 'status'>): string =>
  paused ? 'paused' : status === 'READY' ? 'ready' : 'not ready'

/** Adds the flow names of deployments, read in one request. */
export async function withTitles(client: MillraceClient, deployments: readonly DeploymentResponse[]): Promise<NamedDeployment[]> {
  const names = await readFlowNames(client, deployments)
  return deployments.map((deployment) => ({ deployment, title: toSingleLine(`${names.get(deployment.flow_id) ?? '?'}/${deployment.name}`) }))
}

/** The names of the flows of runs or deployments, by id. Reads those that are not `known` in one request per 200 flows. */
export async function readFlowNames(
  client: MillraceClient,
  items: readonly { readonly flow_id: string }[],
  known: readonly Flow[] = [],
): Promise<Map<string, string>> {
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const missing = [...new Set(items.map(({ flow_id }) => flow_id))].filter((id) => !names.has(id))
  if (missing.length === 0) return names
  for await (const { id, name } of client.flows.listAll({ flows: { id: { any_: missing } } }, { max: missing.length })) names.set(id, name)
  return names
}

const candidateColumns: readonly Column<FlowRunResponse | TaskRun>[] = [idColumn, ageColumn('CREATED', ({ created }) => created), stateColumn]

/** A flow run by id or unique name. */
export async function resolveFlowRun(client: MillraceClient, reference: string): Promise<FlowRunResponse> {
  if (isId(reference)) return named(client.flowRuns.read(reference), 'Flow run', reference)
  const runs = await client.flowRuns.list({ flow_runs: { name: { any_: [reference] } }, sort: 'NAME_ASC', limit: candidatesMax + 1 })
  return onlyMatch(runs, 'Flow run', reference, candidateColumns)
}

/** Flow runs by ids or unique names, in this order and each once. Ids are read in one request per 200. */
export async function resolveFlowRuns(client: MillraceClient, references: readonly string[]): Promise<FlowRunResponse[]> {
  const ids = references.filter(isId).map(canonicalId)
  const byId = new Map<string, FlowRunResponse>()
  if (ids.length === 1) byId.set(ids[0] as string, await resolveFlowRun(client, ids[0] as string))
  else if (ids.length > 1) {
    for await (const run of client.flowRuns.listAll({ flow_runs: { id: { any_: ids } } }, { max: ids.length })) byId.set(run.id, run)
  }
  const missing = ids.filter((id) => !byId.has(id))
  if (missing.length > 0) {
    throw new CommandError(
      missing.length === 1 ? `Flow run "${missing[0]}" not found.` : `Flow runs not found:\n${missing.map((id) => `  ${id}`).join('\n')}`,
      'notFound',
    )
  }
  const runs: FlowRunResponse[] = []
  for (const reference of references) {
    const run = byId.get(canonicalId(reference)) ?? (await resolveFlowRun(client, reference))
    if (!runs.some(({ id }) => id === run.id)) runs.push(run)
  }
  return runs
}

/** Ids are accepted without hyphens and in capitals. */
function canonicalId(text: string): string {
  if (!isId(text)) return text
  const digits = text.replaceAll('-', '').toLowerCase()
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-')
}

/** A task run by id or unique name. */
export async function resolveTaskRun(client: MillraceClient, reference: string): Promise<TaskRun> {
  if (isId(reference)) return named(client.taskRuns.read(reference), 'Task run', reference)
  const runs = await client.taskRuns.list({ task_runs: { name: { any_: [reference] } }, sort: 'NAME_ASC', limit: candidatesMax + 1 })
  return onlyMatch(runs, 'Task run', reference, candidateColumns)
}

/** The names of flow runs by id, read in one request per 200 runs. */
export async function readRunNames(client: MillraceClient, ids: readonly (string | null)[]): Promise<Map<string, string>> {
  const unique = [...new Set(ids.flatMap((id) => id ?? []))]
  const names = new Map<string, string>()
  if (unique.length === 0) return names
  for await (const { id, name } of client.flowRuns.listAll({ flow_runs: { id: { any_: unique } } }, { max: unique.length })) names.set(id, name)
  return names
}
