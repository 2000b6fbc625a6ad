import { type RecordAnswer, type RunRecord, reportedProposalsMax } from '@millrace/contracts/run-report.ts'
import { ApiError, invalid, tooLarge } from '../../errors.ts'
import { toSentEvents } from '../../events/ingest.ts'
import type { StoredIds } from '../../events/log-reader.ts'
import { changeRunsIn, runsOf } from '../../runs/batch.ts'
import type { RecordAnswer as Applied, ReportRun } from '../../runs/command.ts'
import { taskHistoryReader } from '../../runs/task-run-history.ts'
import type { Batch, Tx } from '../../storage/database.ts'
import { type ActingContext, perServer } from '../../storage/server-context.ts'
import { storeLogs } from '../logs/create-logs.ts'
import { liveLogs } from '../logs/live-logs.ts'
import type { LogRow } from '../logs/store.ts'
import { type PreparedRecord, prepareRecord, toRunRecord } from './run-records.ts'

/** The records of one flow run, with the log line that each stores if it is applied. */
interface Report {
  readonly command: ReportRun
  readonly logs: readonly (LogRow | undefined)[]
}

/** Applies the records of all requests in one transaction: those about runs by the batch of runs, the lines of those that it accepts after it. */
const reportBatch = perServer((context): Batch<Report, readonly Applied[]> => {
  const execute = async (tx: Tx, reports: readonly Report[]) => {
    const results = await changeRunsIn(
      context,
      tx,
      reports.map(({ command }) => command),
      false,
    )
    await storeLogs(
      tx,
      reports.flatMap((report, index) => acceptedLogs(report, results[index] ?? [])),
      true,
    )
    return results
  }
  return Object.assign(execute, { rowsOf: ({ command }: Report) => runsOf(command) })
})

const acceptedLogs = ({ logs }: Report, applied: readonly Applied[] | Error): LogRow[] =>
  applied instanceof Error ? [] : logs.flatMap((log, index) => (log && !(applied[index] instanceof Error) ? [log] : []))

/**
 * Stores what processes report about their runs. The records of a run are applied in their order, those of different runs independently; each has its own
 * answer. Throws if the database is unavailable: a request that is repeated has no second effect.
 */
export async function reportRecords(context: ActingContext, records: readonly RunRecord[]): Promise<RecordAnswer[]> {
  assertReadable(records)
  const created = context.clock.now()
  const prepared = records.map((record) => prepareRecord(context, record, created))
  const { findStored } = await toSentEvents(
    context,
    prepared.flatMap((each) => (each instanceof ApiError ? [] : (each.event ?? []))),
  )
  const reading = { findStored: oncePerTransaction(findStored), readHistory: taskHistoryReader(context) }
  const indexesByRun = Map.groupBy(records.keys(), (index) => (records[index] as RunRecord).flow_run_id)
  const applied: Applied[] = prepared.map((each) => (each instanceof ApiError ? each : new Error('not applied')))
  await Promise.all(
    [...indexesByRun].map(async ([id, indexes]) => {
      const valid = indexes.filter((index) => !(prepared[index] instanceof ApiError))
      if (valid.length === 0) return
      const ofRun = valid.map((index) => prepared[index] as PreparedRecord)
      const report: Report = {
        command: { kind: 'report_run', actor: context.actor, id, records: ofRun.map((each) => toRunRecord(context.actor, each, reading)) },
        logs: ofRun.map(({ log }) => log),
      }
      const answers = await submitReport(context, report)
      for (const [at, index] of valid.entries()) applied[index] = answers[at] as Applied
    }),
  )
  return applied.map((each, index) => toAnswer((records[index] as RunRecord).number, each))
}

/** If the database refuses the records of a run together, they are applied one by one, so that one of them does not harm the others. */
async function submitReport(context: ActingContext, report: Report): Promise<readonly Applied[]> {
  const { command, logs } = report
  try {
    const applied = await context.commands.submitTo(reportBatch(context), report)
    const stored = acceptedLogs(report, applied)
    if (stored.length > 0) liveLogs(context).publish(stored)
    return applied
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (error.status === 404 || command.records.length === 1) return command.records.map(() => error)
  }
  const applied: Applied[] = []
  /** The attempts that earlier records have reached, by those that they were sent with. */
  const reached = new Map<number | null, number>()
  for (const [index, record] of command.records.entries()) {
    const attempt = reached.get(record.attempt) ?? record.attempt
    const [answer] = await submitReport(context, { command: { ...command, records: [{ ...record, attempt }] }, logs: [logs[index]] })
    applied.push(answer as Applied)
    if (!(answer instanceof Error) && answer) reached.set(record.attempt, answer.attempt)
  }
  return applied
}

/** The events of a request are searched once in a transaction. */
function oncePerTransaction(find: (tx: Tx) => Promise<StoredIds>): (tx: Tx) => Promise<StoredIds> {
  const found = new WeakMap<Tx, Promise<StoredIds>>()
  return (tx) => {
    const result = found.get(tx) ?? find(tx)
    found.set(tx, result)
    return result
  }
}

function assertReadable(records: readonly RunRecord[]): void {
  const proposals = new Map<string, number>()
  for (const [index, { number, kind, flow_run_id }] of records.entries()) {
    const before = records[index - 1]
    if (before && number <= before.number)
      throw invalid(['body', 'records', index, 'number'], `Numbers must rise: ${number} follows ${before.number}`, number)
    if (kind !== 'state' && kind !== 'finished') continue
    const count = (proposals.get(flow_run_id) ?? 0) + 1
    proposals.set(flow_run_id, count)
    if (count > reportedProposalsMax)
      throw tooLarge(`Too many states of flow run ${flow_run_id}: at most ${reportedProposalsMax} in one request. Send the others in another one.`)
  }
}

function toAnswer(number: number, applied: Applied): RecordAnswer {
  if (applied instanceof ApiError)
    return { number, status: 'refused', attempt: null, result: null, error: { code: applied.code, message: applied.message } }
  if (applied instanceof Error) throw applied
  const { attempt, result } = applied
  return { number, status: result === null || result.status === 'ACCEPT' ? 'accepted' : 'rejected', attempt, result, error: null }
}
