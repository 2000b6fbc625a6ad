import { readEventsById } from '../../events/log-reader.ts'
import type { EventRow } from '../../events/store.ts'
import { addSeconds, earliestTime, type Micros } from '../../lib/time.ts'
import { flowRunStateEvent } from '../../runs/flow-run-events.ts'
import { lockFlowRuns, toEventContext } from '../../runs/flow-run-rows.ts'
import { parseCurrentState, type StateRow } from '../../runs/run-state.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { type Check, countText, type DoctorInput, type Finding, repairCommand, statementRepair } from '../finding.ts'
import { checkRunRows } from './run-rows.ts'

/** The newest runs that are checked unless everything is. */
const runsMax = 5000
const pageSize = 500

/** Retention removes events while the check runs. */
const retentionMarginSeconds = 3600

type FlowRunState = StateRow & { readonly flow_run_id: string }

const page = statement('select id from flow_run where id < $1 order by id desc limit $2')
/** Runs that a schedule planned have no Scheduled event. Their first state is the only one without a run id. */
const emittedStates = statement(
  (dialect) => `select * from flow_run_state where ${dialect.inList('flow_run_id', '$1', 'uuid')} and timestamp > $2 and timestamp < $3
    and not (type = 'SCHEDULED' and ${dialect.jsonText('state_details', 'flow_run_id')} is null)`,
)
const adopted = statement('select finished from adoption')

const lostHistory = `state_id is not null and not exists (select 1 from flow_run_state where flow_run_state.id = flow_run.state_id)`
const countLostHistory = statement(
  `select count(*) as count from (select id, state_id from flow_run order by id desc limit $1) flow_run where ${lostHistory}`,
)
const restoreHistory = statement(
  `insert into flow_run_state (id, flow_run_id, type, name, timestamp, message, data, state_details)
    select state_id, id, state_type, state_name, state_timestamp, state_message, state_data, state_details from flow_run
    where ${lostHistory} and state_type is not null and state_name is not null and state_timestamp is not null and state_details is not null`,
)

/** The history of each run contains its current state, and each state has its event. */
export const states: Check = {
  name: 'states',
  summary:
    'that the history of each run has its states, that each state has its event in the log, and (with --full) that runs agree with histories, tags and deployments',
  async run(input) {
    const { db, isFull } = input
    const lost = Number((await db.first<{ count: number }>(countLostHistory, [isFull ? Number.MAX_SAFE_INTEGER : runsMax]))?.count ?? 0)
    const findings: Finding[] = []
    if (lost > 0) {
      findings.push({
        severity: 'error',
        what: `The history of ${countText(lost, 'flow run')} lacks the current state.`,
        why: 'The page of the run shows a wrong history.',
        fix: repairCommand,
        repair: statementRepair('add the current states to the histories of flow runs', restoreHistory, 'state'),
      })
    }
    if (isFull) findings.push(...(await checkRunRows(input)))
    const { missing, runsWithGap } = await compareWithEvents(input)
    if (runsWithGap > 0) {
      findings.push({
        severity: 'error',
        what: `The history of ${countText(runsWithGap, 'flow run')} lacks a state before another one.`,
        why: 'The page of the run shows a wrong history. The events of the run, which name the state, show the right one.',
        fix: 'Nothing, or restore a backup with `millrace restore`. The run goes on as before.',
      })
    }
    if (missing.length > 0) {
      findings.push({
        severity: 'error',
        what: `${countText(missing.length, 'state')} of flow runs have no event in the log.`,
        why: 'Automations did not see these state changes, and pages of events do not show them.',
        fix: `${repairCommand} Automations then see the events late.`,
        repair: { title: `emit ${countText(missing.length, 'missing event')}`, run: (context) => emitMissing(context, missing) },
      })
    }
    return findings
  },
}

interface EventComparison {
  /** States without event. */
  readonly missing: FlowRunState[]
  /** Runs with an event whose state before is not in the history. */
  readonly runsWithGap: number
}

async function compareWithEvents({ db, config, now, isFull }: DoctorInput): Promise<EventComparison> {
  const days = config.events.retention_days
  const kept = days === null ? earliestTime : addSeconds(now, retentionMarginSeconds - days * 86_400)
  const since = Math.max(kept, (await db.first<{ finished: Micros | null }>(adopted))?.finished ?? earliestTime)
  const missing: FlowRunState[] = []
  let [checked, runsWithGap] = [0, 0]
  for (let before = 'ffffffff-ffff-ffff-ffff-ffffffffffff'; isFull || checked < runsMax; ) {
    const ids = (await db.all<{ id: string }>(page, [before, pageSize])).map(({ id }) => id)
    if (ids.length === 0) break
    before = ids.at(-1) as string
    checked += ids.length
    const found = await db.all<FlowRunState>(emittedStates, [db.dialect.list(ids), since, now])
    const stored = await readEventsById(
      db,
      found.map(({ id }) => id),
    )
    const known = new Set(stored.map(({ id }) => id))
    missing.push(...found.filter(({ id }) => !known.has(id)))
    runsWithGap += countGaps(await readHistories(db, ids), stored)
  }
  return { missing, runsWithGap }
}

/** An event names the state before by its id, or after a longer time by its type and name. */
function countGaps(histories: ReadonlyMap<string, readonly FlowRunState[]>, events: readonly EventRow[]): number {
  const runOfState = new Map([...histories].flatMap(([run, history]) => history.map(({ id }) => [id, run] as const)))
  const runs = new Set<string>()
  for (const { id, follows, payload } of events) {
    const run = runOfState.get(id)
    if (run === undefined) continue
    const before = (JSON.parse(payload) as { initial_state?: { type?: string; name?: string } | null }).initial_state
    const isKnown = ({ id: state, type, name }: FlowRunState) =>
      follows === null ? !before || (state !== id && type === before.type && name === (before.name ?? name)) : state === follows
    if (!histories.get(run)?.some(isKnown)) runs.add(run)
  }
  return runs.size
}

/** The events have the ids of their states, so that a second attempt adds none. */
async function emitMissing({ commands }: ActingContext, missing: readonly FlowRunState[]): Promise<string> {
  const emitted = await commands.submit(async (tx) => {
    const runs = new Map((await lockFlowRuns(tx, [...new Set(missing.map(({ flow_run_id }) => flow_run_id))], true)).map((row) => [row.id, row]))
    const previous = await readHistories(tx, [...runs.keys()])
    let count = 0
    for (const row of missing.toSorted((a, b) => a.timestamp - b.timestamp)) {
      const run = runs.get(row.flow_run_id)
      if (!run) continue
      const history = previous.get(row.flow_run_id) ?? []
      const before = history[history.findIndex(({ id }) => id === row.id) - 1]
      const state = toRunState(row)
      if (state) tx.emit(flowRunStateEvent(run, before ? toRunState(before) : null, state, toEventContext(run)))
      count += 1
    }
    return count
  })
  return `Emitted ${countText(emitted, 'event')}.`
}

const toRunState = (row: StateRow) =>
  parseCurrentState({
    state_id: row.id,
    state_type: row.type,
    state_name: row.name,
    state_timestamp: row.timestamp,
    state_message: row.message,
    state_data: row.data,
    state_details: row.state_details,
  })

const histories = statement(
  (dialect) => `select * from flow_run_state where ${dialect.inList('flow_run_id', '$1', 'uuid')} order by flow_run_id, timestamp, id`,
)

async function readHistories(db: Db, ids: readonly string[]): Promise<Map<string, FlowRunState[]>> {
  const byRun = new Map<string, FlowRunState[]>()
  for (const row of await db.all<FlowRunState>(histories, [db.dialect.list(ids)])) {
    byRun.set(row.flow_run_id, [...(byRun.get(row.flow_run_id) ?? []), row])
  }
  return byRun
}
