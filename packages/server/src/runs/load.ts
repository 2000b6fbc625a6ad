import type { StoredIds } from '../events/log-reader.ts'
import { tagLimitNames } from '../lib/limit-names.ts'
import type { Micros } from '../lib/time.ts'
import type { RunState } from '../orchestration/rule.ts'
import { statement, type Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { columnList } from '../storage/tables.ts'
import type { CreateFlowRun, ProposeTaskRunState, ReportEvents, ReportRun, RunCommand, TaskHistory } from './command.ts'
import { type FlowRunWithPool, type LoadedFlowRun, lockFlowRuns, readFlowRunsByKey } from './flow-run-rows.ts'
import { heartbeatTimes, type RunningRun, readHeartbeats } from './heartbeats.ts'
import { RecentTransitions } from './recent-transitions.ts'
import { findLateReports, type KnownReports } from './report-order.ts'
import type { StateRow } from './run-state.ts'
import { type LoadedSlots, loadSlots } from './slots/run-slots.ts'
import type { TaskRunEvent } from './task-run-events.ts'
import { type LoadedTaskRun, lockTaskRuns, readCached, readTaskRunIds, readTaskRunsByKey, type TaskRunRow, taskRunKey } from './task-run-rows.ts'

interface Tagged {
  readonly id: string
  readonly name: string
  readonly tags: string
}
interface Labelled extends Tagged {
  readonly labels: string
}
interface Queue {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly pool_name: string
  readonly pool_type: string
}

/** What new flow runs refer to, by id. */
interface FlowRunReferences {
  readonly flows: ReadonlyMap<string, Labelled>
  readonly deployments: ReadonlyMap<string, Labelled>
  readonly queues: ReadonlyMap<string, Queue>
  readonly documents: ReadonlyMap<string, { readonly id: string }>
}

/** All that a batch of commands decides on. */
export interface Loaded {
  readonly flowRuns: ReadonlyMap<string, LoadedFlowRun>
  readonly taskRuns: ReadonlyMap<string, LoadedTaskRun>
  /** Runs that exist and somebody else holds. */
  readonly held: ReadonlySet<string>
  readonly references: FlowRunReferences
  /** By flow and idempotency key. */
  readonly flowRunsByKey: ReadonlyMap<string, FlowRunWithPool>
  /** By `taskRunKey`. */
  readonly taskRunsByKey: ReadonlyMap<string, TaskRunRow>
  /** Ids of the task runs that reports name by their keys. */
  readonly reportedIds: ReadonlyMap<string, string>
  /** The flow runs of new task runs, and those whose labels change, with their labels. */
  readonly owners: ReadonlyMap<string, { readonly labels: string }>
  readonly cached: ReadonlyMap<string, RunState>
  readonly recent: { readonly flowRuns: RecentTransitions; readonly taskRuns: RecentTransitions }
  readonly slots: LoadedSlots
  /** States of reports that are stored already. */
  readonly storedStates: ReadonlySet<string>
  readonly storedEvents: ReadonlyMap<ReportEvents, StoredIds>
  readonly heartbeats: readonly RunningRun[]
  readonly heartbeatTimes: ReadonlyMap<string, readonly Micros[]>
  /** The earlier events of task runs for which a report is late. */
  readonly history: TaskHistory
}

/** The commands, and those of the runs that processes report, by what they ask. */
function sortCommands(commands: readonly RunCommand[]) {
  const inRecords = ({ records }: ReportRun): RunCommand[] => records.flatMap(({ command }) => command ?? [])
  const all = commands.flatMap((command) => (command.kind === 'report_run' ? [command, ...inRecords(command)] : [command]))
  const of = <K extends RunCommand['kind']>(...kinds: readonly K[]) =>
    all.filter((command): command is Extract<RunCommand, { readonly kind: K }> => (kinds as readonly string[]).includes(command.kind))
  return {
    drafts: of('create_flow_run').map(({ draft }) => draft),
    taskDrafts: of('create_task_run').map(({ draft }) => draft),
    proposals: of('propose_flow_run'),
    taskProposals: of('propose_task_run'),
    flowRunChanges: of('change_flow_run'),
    taskRunChanges: of('change_task_run', 'end_task_run'),
    reports: of('report'),
    reportedRuns: of('report_run'),
  }
}

/**
 * Reads and locks what commands need, in two round trips: first what they name, then what those rows name. Only reports that arrive late need a third. A transaction
 * of many commands leaves out the rows that somebody else holds; one that `waits` waits for them. Locks are taken in one order: flow runs, task runs, limits.
 */
export async function load(context: ServerContext, tx: Tx, commands: readonly RunCommand[], waits: boolean): Promise<Loaded> {
  const wanted = sortCommands(commands)
  const now = context.clock.now()
  const taskEvents = wanted.reports.flatMap((report) => report.taskEvents)
  const { enabled: watchesHeartbeats } = context.config.services.zombie_detection
  const times = heartbeatTimes(watchesHeartbeats ? wanted.reports.flatMap(({ sent }) => sent.events) : [])
  const flowRunIds = idsOf([...wanted.proposals, ...wanted.flowRunChanges, ...wanted.reportedRuns])
  const changedTaskRunIds = idsOf([...wanted.taskProposals, ...wanted.taskRunChanges])
  const parentIds = present(wanted.drafts.map((draft) => draft.parent_task_run_id))
  const taskRunIds = [...new Set([...changedTaskRunIds, ...present(wanted.taskDrafts.map(({ id }) => id)), ...parentIds, ...idsOf(taskEvents)])]

  const [flowRows, taskRows, references, flowRunsByKey, taskRunsByKey, reportedIds, owners, cached, storedStates, heartbeats] = await Promise.all([
    flowRunIds.length > 0 ? lockFlowRuns(tx, flowRunIds, waits) : [],
    taskRunIds.length > 0 || flowRunIds.length > 0 ? lockTaskRuns(tx, taskRunIds, flowRunIds, waits) : [],
    readReferences(tx, wanted.drafts),
    readRunsByKey(tx, present(wanted.drafts.map((draft) => draft.idempotency_key))),
    readTaskRunsByKey(tx, wanted.taskDrafts),
    readReportedIds(tx, taskEvents),
    readOwners(tx, [
      ...present([...wanted.taskDrafts, ...taskEvents].map(({ flow_run_id }) => flow_run_id)),
      ...idsOf(wanted.flowRunChanges.filter(({ labels }) => labels)),
    ]),
    readCached(tx, cacheKeysOf(wanted.taskProposals), now),
    readIds(
      tx,
      existingStates,
      taskEvents.map(({ state }) => state.id),
    ),
    times.size > 0 ? readHeartbeats(tx, [...times.keys()]) : [],
  ])

  const flowRuns = byId(flowRows)
  const idsByKey = new Map(reportedIds.map((row) => [taskRunKey(row), row.id]))
  const missingTaskRuns = without(taskRows, [
    ...changedTaskRunIds,
    ...parentIds,
    ...present(flowRows.map((row) => row.parent_task_run_id)),
    ...looseIdsOf(taskEvents),
  ])
  const recent = { flowRuns: new RecentTransitions(flowRows, wanted.proposals), taskRuns: new RecentTransitions(taskRows, wanted.taskProposals) }
  const canBeHeld = !waits && tx.dialect.isShared
  const [moreTaskRows, slots, flowStates, taskStates, heldFlowRuns, heldTaskRuns, storedEvents] = await Promise.all([
    lockOthers(tx, without(taskRows, idsByKey.values()), waits),
    loadSlots(tx, context, limitNames(flowRows, taskRows), waits),
    readStates(tx, 'flow_run_state', recent.flowRuns.missingStates),
    readStates(tx, 'task_run_state', recent.taskRuns.missingStates),
    canBeHeld ? readIds(tx, existingFlowRuns, without(flowRows, flowRunIds)) : [],
    canBeHeld ? readIds(tx, existingTaskRuns, missingTaskRuns) : [],
    findStoredEvents(tx, wanted.reports),
  ])
  recent.flowRuns.addStates(flowStates)
  recent.taskRuns.addStates(taskStates)
  const taskRuns = byId([...taskRows, ...moreTaskRows])
  const held = new Set([...heldFlowRuns, ...heldTaskRuns, ...without([...taskRuns.values()], idsByKey.values())])
  const known = { taskRuns, idsByKey, storedStates: new Set(storedStates) }
  return {
    flowRuns,
    taskRuns,
    held,
    references,
    flowRunsByKey: new Map(flowRunsByKey.map((row) => [idempotencyKeyOf(row.flow_id, row.idempotency_key as string), row])),
    taskRunsByKey: new Map(taskRunsByKey.map((row) => [taskRunKey(row), row])),
    reportedIds: idsByKey,
    owners: byId(owners),
    cached,
    recent,
    slots,
    storedStates: known.storedStates,
    storedEvents,
    heartbeats,
    heartbeatTimes: times,
    history: await readHistory(wanted.reports, known),
  }
}

export const idempotencyKeyOf = (flowId: string, key: string): string => `${flowId} ${key}`

const existingStates = statement((dialect) => `select id from task_run_state where ${dialect.inList('id', '$1', 'uuid')}`)
const existingFlowRuns = statement((dialect) => `select id from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const existingTaskRuns = statement((dialect) => `select id from task_run where ${dialect.inList('id', '$1', 'uuid')}`)
const ownersById = statement((dialect) => `select id, labels from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const statesById = {
  flow_run_state: statement((dialect) => `select ${columnList('flow_run_state')} from flow_run_state where ${dialect.inList('id', '$1', 'uuid')}`),
  task_run_state: statement((dialect) => `select ${columnList('task_run_state')} from task_run_state where ${dialect.inList('id', '$1', 'uuid')}`),
}

async function readIds(tx: Tx, query: typeof existingStates, ids: readonly string[]): Promise<string[]> {
  return ids.length === 0 ? [] : (await tx.all<{ id: string }>(query, [tx.dialect.list([...new Set(ids)])])).map(({ id }) => id)
}

const readRunsByKey = async (tx: Tx, keys: readonly string[]): Promise<FlowRunWithPool[]> => (keys.length === 0 ? [] : readFlowRunsByKey(tx, keys))

/** Within a flow run the keys identify a task run, and the first id stays. */
async function readReportedIds(tx: Tx, taskEvents: readonly TaskRunEvent[]): ReturnType<typeof readTaskRunIds> {
  const keys = new Map(taskEvents.flatMap((event) => (event.flow_run_id === null ? [] : [[taskRunKey(event), event]])))
  return keys.size === 0 ? [] : readTaskRunIds(tx, [...keys.values()])
}

const looseIdsOf = (taskEvents: readonly TaskRunEvent[]): string[] => taskEvents.flatMap(({ id, flow_run_id }) => (flow_run_id === null ? [id] : []))

const readOwners = async (tx: Tx, ids: readonly string[]): Promise<{ readonly id: string; readonly labels: string }[]> =>
  ids.length === 0 ? [] : tx.all(ownersById, [tx.dialect.list(ids)])

const readStates = async (tx: Tx, table: keyof typeof statesById, ids: readonly string[]): Promise<StateRow[]> =>
  ids.length === 0 ? [] : tx.all<StateRow>(statesById[table], [tx.dialect.list(ids)])

/** Task runs that reports name by their keys, and whose ids are others. */
const lockOthers = async (tx: Tx, ids: readonly string[], waits: boolean): Promise<LoadedTaskRun[]> =>
  ids.length === 0 ? [] : lockTaskRuns(tx, ids, [], waits)

async function findStoredEvents(tx: Tx, reports: readonly ReportEvents[]): Promise<Map<ReportEvents, StoredIds>> {
  const stored = new Map<ReportEvents, StoredIds>()
  for (const report of reports) stored.set(report, await report.sent.findStored(tx))
  return stored
}

/** The earlier events of task runs, where a report is late. */
async function readHistory(reports: readonly ReportEvents[], known: KnownReports): Promise<TaskHistory> {
  const history = new Map<string, readonly TaskRunEvent[]>()
  for (const report of reports) {
    const late = findLateReports(report.taskEvents, known).filter((id) => !history.has(id))
    if (late.length > 0) for (const [id, taskEvents] of await report.readHistory(late)) history.set(id, taskEvents)
  }
  return history
}

/** The limits of deployments, and of tags. Most servers have none of tags, and need no read for them. */
function limitNames(flowRuns: readonly LoadedFlowRun[], taskRuns: readonly LoadedTaskRun[]): string[] {
  const names = new Set(present(flowRuns.map((row) => row.limit_name)))
  if (taskRuns[0]?.tag_limits === 1) for (const { tags } of taskRuns) for (const name of tagLimitNames(JSON.parse(tags) as string[])) names.add(name)
  return [...names]
}

const cacheKeysOf = (proposals: readonly ProposeTaskRunState[]): string[] =>
  proposals.flatMap(({ state }) => (state.type === 'RUNNING' && state.state_details?.cache_key ? [state.state_details.cache_key] : []))

const byId = <R extends { readonly id: string }>(rows: readonly R[]): Map<string, R> => new Map(rows.map((row) => [row.id, row]))

const idsOf = (items: readonly { readonly id: string }[]): string[] => [...new Set(items.map(({ id }) => id))]

const present = (values: readonly (string | null | undefined)[]): string[] => [...new Set(values.filter((value): value is string => Boolean(value)))]

/** The ids that are not among the rows. */
function without(rows: readonly { readonly id: string }[], ids: Iterable<string>): string[] {
  const found = new Set(rows.map(({ id }) => id))
  return [...new Set(ids)].filter((id) => !found.has(id))
}

const flowsById = statement((dialect) => `select id, name, tags, labels from flow where ${dialect.inList('id', '$1', 'uuid')}`)
const deploymentsById = statement((dialect) => `select id, name, tags, labels from deployment where ${dialect.inList('id', '$1', 'uuid')}`)
const documentsById = statement((dialect) => `select id from block_document where ${dialect.inList('id', '$1', 'uuid')}`)
const queuesById = statement(
  (dialect) => `select work_queue.id, work_queue.name, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type
    from work_queue join work_pool on work_pool.id = work_queue.work_pool_id where ${dialect.inList('work_queue.id', '$1', 'uuid')}`,
)

/** A table without references is not queried. */
async function readReferences(tx: Tx, drafts: readonly CreateFlowRun['draft'][]): Promise<FlowRunReferences> {
  const read = async <R extends { readonly id: string }>(
    query: typeof flowsById,
    idOf: (draft: CreateFlowRun['draft']) => string | null | undefined,
  ): Promise<Map<string, R>> => {
    const ids = new Set(drafts.flatMap((draft) => idOf(draft) || []))
    const rows = ids.size === 0 ? [] : await tx.all<R>(query, [tx.dialect.list([...ids])])
    return new Map(rows.map((row) => [row.id, row]))
  }
  const [flows, deployments, queues, documents] = await Promise.all([
    read<Labelled>(flowsById, (draft) => draft.flow_id),
    read<Labelled>(deploymentsById, (draft) => draft.deployment_id),
    read<Queue>(queuesById, (draft) => draft.work_queue_id),
    // Deployments have checked the document of their runs.
    read<{ id: string }>(documentsById, (draft) => (draft.planned ? null : draft.infrastructure_document_id)),
  ])
  return { flows, deployments, queues, documents }
}
