import type { MillraceClient } from '@millrace/client/client.ts'
import type { FlowRunOrder } from '@millrace/client/vocabulary/run-sorts.ts'
import { parseState, stateCriteria } from '@millrace/client/vocabulary/states.ts'
import type { Flow } from '@millrace/contracts/flow.ts'
import type { FlowRunsCountBody } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { SimpleFlowRun } from '@millrace/contracts/ui.ts'
import type { Command } from 'commander'
import { resolveDeployment, resolveFlow } from './resolve.ts'
import { parsePastTime, secondsFromNow } from './time-values.ts'

/** Options that select flow runs. */
export interface RunFilterOptions {
  readonly state?: string[]
  readonly late?: boolean
  readonly flow?: string[]
  readonly deployment?: string[]
  readonly pool?: string[]
  readonly tag?: string[]
  readonly name?: string
  readonly since?: string
  readonly until?: string
  readonly upcoming?: boolean
}

export interface RunFilter {
  readonly criteria: FlowRunsCountBody
  /** The flows of `--flow`. */
  readonly flows: readonly Flow[]
}

/** The clock of the server may be ahead of this one. */
const dueSlackSeconds = 30

export const addRunFilterOptions = (command: Command): Command =>
  command
    .option('--state <state...>', 'only runs in one of these states, by type or name (Running, Failed, Late)')
    .option('--late', 'only late runs')
    .option('--flow <flow...>', 'only runs of these flows, by name or id')
    .option('--deployment <deployment...>', 'only runs of these deployments, by flow/deployment, id or unique name')
    .option('--pool <name...>', 'only runs in these work pools')
    .option('--tag <tag...>', 'only runs with all these tags')
    .option('--name <text>', 'only runs whose name contains this text')
    .option('--since <time>', 'only runs that were due after this time: a duration before now (2h, 1d) or a time', parsePastTime)
    .option('--until <time>', 'only runs that were due before this time', parsePastTime)
    .option('--upcoming', 'also runs that are not due yet')

/** Whether any option selects runs. */
export const hasRunFilter = (options: RunFilterOptions): boolean =>
  (['state', 'late', 'flow', 'deployment', 'pool', 'tag', 'name', 'since', 'until'] as const).some((name) => options[name] !== undefined)

/** The filter of the options. `state` applies if the options name no state. */
export async function readRunFilter(
  client: MillraceClient,
  options: RunFilterOptions,
  { sort, state: defaultState }: { readonly sort?: FlowRunOrder; readonly state?: FlowRunFilter['state'] } = {},
): Promise<RunFilter> {
  const { flow = [], deployment = [], pool, tag, name, since } = options
  const [flows, deployments] = await Promise.all([
    Promise.all(flow.map((reference) => resolveFlow(client, reference))),
    Promise.all(deployment.map((reference) => resolveDeployment(client, reference))),
  ])
  const states = [...(options.state ?? []), ...(options.late ? ['Late'] : [])]
  const state = states.length > 0 ? stateCriteria(states.map(parseState)) : defaultState
  const showsUpcoming = options.upcoming || states.length > 0 || sort === 'soonest'
  const until = options.until ?? (showsUpcoming ? undefined : secondsFromNow(dueSlackSeconds))
  const runs: FlowRunFilter = {
    ...(state && { state }),
    ...(deployments.length > 0 && { deployment_id: { any_: deployments.map((each) => each.deployment.id) } }),
    ...(tag && { tags: { all_: tag } }),
    ...(name && { name: { like_: name } }),
    ...((since || until) && { expected_start_time: { ...(since && { after_: since }), ...(until && { before_: until }) } }),
  }
  return {
    criteria: {
      ...(Object.keys(runs).length > 0 && { flow_runs: runs }),
      ...(flows.length > 0 && { flows: { id: { any_: flows.map(({ id }) => id) } } }),
      ...(pool && { work_pools: { name: { any_: pool } } }),
    },
    flows,
  }
}

/** Runs per request: this list has ids and states only, so that its pages may be larger. */
const idPageSize = 1000

/** The ids and states of all matching runs. */
export async function listMatchingRuns(client: MillraceClient, criteria: FlowRunsCountBody, signal: AbortSignal): Promise<SimpleFlowRun[]> {
  const runs = new Map<string, SimpleFlowRun>()
  for (let offset = 0; ; offset += idPageSize) {
    const page = await client.flowRuns.chartPoints({ ...criteria, sort: 'EXPECTED_START_TIME_ASC', limit: idPageSize, offset }, { signal })
    for (const run of page) runs.set(run.id, run)
    if (page.length < idPageSize) return [...runs.values()]
  }
}
