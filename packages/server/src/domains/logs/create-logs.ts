import type { LogCreate } from '@millrace/contracts/log.ts'
import { InvalidRequest, tooLarge } from '../../errors.ts'
import { toStorable } from '../../lib/storable-text.ts'
import { toMicros } from '../../lib/time.ts'
import type { Batch } from '../../storage/batch.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { liveLogs } from './live-logs.ts'
import { encodeRange } from './log-range.ts'
import { insertLogs, type LogRow } from './store.ts'

/** Maximum rows per statement. Concurrent requests share a statement up to this size. */
const rowsMax = 5000

/** Writes the rows of several requests. The rows of one request are written together or not at all. */
const logInsertBatch = perServer(
  (): Batch<readonly LogRow[], null> => async (tx, requests) => {
    const { isShared } = tx.dialect
    let rows: LogRow[] = []
    for (const request of requests) {
      if (rows.length > 0 && rows.length + request.length > rowsMax) {
        await insertLogs(tx, rows)
        if (isShared) tx.notify('logs', encodeRange(rows))
        rows = []
      }
      rows.push(...request)
    }
    await insertLogs(tx, rows)
    if (isShared) tx.notify('logs', encodeRange(rows))
    return requests.map(() => null)
  },
)

/** Checks the limits before it writes. Logs may refer to runs that do not exist (yet). */
export async function createLogs(context: ServerContext, logs: readonly LogCreate[]): Promise<void> {
  assertLogLimits(logs, context.config.logs)
  if (logs.length === 0) return
  const created = context.clock.now()
  const rows = logs.map(
    (log): LogRow => ({
      id: context.newId(),
      created,
      // An error would lose the other lines of the request.
      name: toStorable(log.name),
      level: log.level,
      message: toStorable(log.message),
      timestamp: toMicros(log.timestamp),
      flow_run_id: log.flow_run_id ?? null,
      task_run_id: log.task_run_id ?? null,
    }),
  )
  await context.writeQueue.submitTo(logInsertBatch(context), rows)
  liveLogs(context).publish(rows)
}

function assertLogLimits(logs: readonly LogCreate[], limits: ServerContext['config']['logs']): void {
  const { maximum_per_request: countMax, maximum_message_bytes: bytesMax } = limits
  if (logs.length > countMax)
    throw tooLarge(`Too many log entries: ${logs.length}. At most ${countMax} per request are allowed (logs.maximum_per_request).`)
  const errors = logs.flatMap(({ message }, index) => {
    // A UTF-16 unit has at most three bytes, so the exact size of most messages need not be computed.
    const size = message.length * 3 <= bytesMax ? 0 : Buffer.byteLength(message)
    if (size <= bytesMax) return []
    const msg = `Log message too long: ${size} bytes. At most ${bytesMax} are allowed (logs.maximum_message_bytes).`
    return [{ loc: ['body', index, 'message'], type: 'bytes_too_long', msg, ctx: { max_length: bytesMax, actual_length: size } }]
  })
  if (errors.length > 0) throw new InvalidRequest(errors)
}
