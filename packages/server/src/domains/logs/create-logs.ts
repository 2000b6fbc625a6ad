import type { LogCreate } from '@millrace/contracts/log.ts'
import { type Fault, InvalidRequest, tooLarge } from '../../errors.ts'
import { toStorable } from '../../lib/storable-text.ts'
import { type Micros, toMicros } from '../../lib/time.ts'
import type { Batch, Tx } from '../../storage/database.ts'
import { type ActingContext, perServer, type ServerContext } from '../../storage/server-context.ts'
import { liveLogs } from './live-logs.ts'
import { encodeRange } from './log-range.ts'
import { insertLogs, type LogRow } from './store.ts'

/** Maximum rows per statement. Concurrent requests share a statement up to this size. */
const rowsMax = 5000

/** Writes the rows of several requests. The rows of one request are written together or not at all. */
const logInsertBatch = perServer(
  (): Batch<readonly LogRow[], null> => async (tx, requests) => {
    let rows: LogRow[] = []
    for (const request of requests) {
      if (rows.length > 0 && rows.length + request.length > rowsMax) {
        await storeLogs(tx, rows)
        rows = []
      }
      rows.push(...request)
    }
    await storeLogs(tx, rows)
    return requests.map(() => null)
  },
)

/** Stores logs and tells other servers about them. After the commit, `publish` of live-logs.ts tells the listeners of this server. */
export async function storeLogs(tx: Tx, rows: readonly LogRow[], mayBeStored = false): Promise<void> {
  if (rows.length === 0) return
  await insertLogs(tx, rows, mayBeStored)
  if (tx.dialect.isShared) tx.notify('logs', encodeRange(rows))
}

/** Checks the limits before it writes. Logs may refer to runs that do not exist (yet). */
export async function createLogs(context: ActingContext, logs: readonly LogCreate[]): Promise<void> {
  assertLogLimits(logs, context.config.logs)
  if (logs.length === 0) return
  const created = context.clock.now()
  const rows = logs.map((log) => toLogRow(log, context.newId(), created))
  await context.commands.submitTo(logInsertBatch(context), rows)
  liveLogs(context).publish(rows)
}

export const toLogRow = (log: LogCreate, id: string, created: Micros): LogRow => ({
  id,
  created,
  // An error would lose the other lines of the request.
  name: toStorable(log.name),
  level: log.level,
  message: toStorable(log.message),
  timestamp: toMicros(log.timestamp),
  flow_run_id: log.flow_run_id ?? null,
  task_run_id: log.task_run_id ?? null,
})

function assertLogLimits(logs: readonly LogCreate[], limits: ServerContext['config']['logs']): void {
  const { maximum_per_request: countMax, maximum_message_bytes: bytesMax } = limits
  if (logs.length > countMax)
    throw tooLarge(`Too many log entries: ${logs.length}. At most ${countMax} per request are allowed (logs.maximum_per_request).`)
  const errors = logs.flatMap(({ message }, index) => {
    const fault = findMessageFault(message, bytesMax)
    return fault ? [{ loc: ['body', index, 'message'], ...fault }] : []
  })
  if (errors.length > 0) throw new InvalidRequest(errors)
}

/** Undefined if the message is short enough. */
export function findMessageFault(message: string, bytesMax: number): Omit<Fault, 'loc'> | undefined {
  // A UTF-16 unit has at most three bytes, so the exact size of most messages need not be computed.
  const size = message.length * 3 <= bytesMax ? 0 : Buffer.byteLength(message)
  if (size <= bytesMax) return undefined
  const msg = `Log message too long: ${size} bytes. At most ${bytesMax} are allowed (logs.maximum_message_bytes).`
  return { type: 'bytes_too_long', msg, ctx: { max_length: bytesMax, actual_length: size } }
}
