import type { LogCreate } from '@millrace/contracts/log.ts'
import { InvalidRequest, tooLarge } from '../../errors.ts'
import { toMicros } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { liveLogs } from './live-logs.ts'
import { encodeRange } from './log-range.ts'
import { insertLogs, type LogRow } from './store.ts'

/** Rows in one statement: requests that come together are written together, but not without end. */
const rowsMax = 5000

/** Keeps what requests bring; each is a list of rows that is there as a whole or not at all. */
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

/** Checks the limits before anything is kept. A log may be of runs that nobody knows (yet). */
export async function createLogs(context: ServerContext, logs: readonly LogCreate[]): Promise<void> {
  assertLogLimits(logs, context.config.logs)
  if (logs.length === 0) return
  const created = context.clock.now()
  const rows = logs.map(
    (log): LogRow => ({
      id: context.newId(),
      created,
      name: storable(log.name),
      level: log.level,
      message: storable(log.message),
      timestamp: toMicros(log.timestamp),
      flow_run_id: log.flow_run_id ?? null,
      task_run_id: log.task_run_id ?? null,
    }),
  )
  await context.writeQueue.submitTo(logInsertBatch(context), rows)
  liveLogs(context).publish(rows)
}

/** What PostgreSQL cannot hold is left out: to refuse it would lose the other lines that came with it. */
const storable = (text: string): string => (text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '').toWellFormed() : text)

function assertLogLimits(logs: readonly LogCreate[], limits: ServerContext['config']['logs']): void {
  const { maximum_per_request: many, maximum_message_bytes: bytes } = limits
  if (logs.length > many) throw tooLarge(`A request may bring ${many} log entries at most (logs.maximum_per_request); this one has ${logs.length}`)
  const faults = logs.flatMap(({ message }, index) => {
    // A unit of a JavaScript string takes three bytes at most: hardly any message needs a closer look.
    const size = message.length * 3 <= bytes ? 0 : Buffer.byteLength(message)
    if (size <= bytes) return []
    const msg = `A message may have ${bytes} bytes at most (logs.maximum_message_bytes); this one has ${size}`
    return [{ loc: ['body', index, 'message'], type: 'bytes_too_long', msg, ctx: { max_length: bytes, actual_length: size } }]
  })
  if (faults.length > 0) throw new InvalidRequest(faults)
}
