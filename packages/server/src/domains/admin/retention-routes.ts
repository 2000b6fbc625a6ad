import { RetentionReport } from '@millrace/contracts/retention.ts'
import { type Route, route } from '../../lib/route.ts'
import { formatNullableTime } from '../../lib/time.ts'
import { type Statement, statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { type RetentionKind, readAdoptedUntil, readRetention } from './retention-store.ts'

const eventCount = statement('select coalesce(sum(count), 0) as rows from event_tally')

/** What of each kind is the oldest, and how many there are; each is a step into an index or a fact that the database keeps anyway. */
const kinds: readonly { kind: RetentionKind; oldest: Statement; facts: Statement }[] = [
  {
    kind: 'events',
    oldest: statement('select min(occurred) as at from event'),
    facts: statement((dialect) => dialect.tableStats('event')),
  },
  { kind: 'logs', oldest: statement('select min(timestamp) as at from log'), facts: statement((dialect) => dialect.tableStats('log')) },
  {
    kind: 'flow_runs',
    oldest: statement(
      // A time to be later than, or SQLite looks at all that have ended to find the first.
      `select end_time as at from flow_run where parent_task_run_id is null and state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
        and end_time > 0 order by end_time, id limit 1`,
    ),
    facts: statement((dialect) => dialect.tableStats('flow_run')),
  },
]

const databaseSize = statement((dialect) => dialect.databaseBytes)

export function retentionRoutes({ reads, config }: ServerContext): Route[] {
  const days: Readonly<Record<RetentionKind, number | null>> = {
    events: config.events.retention_days,
    logs: config.logs.retention_days,
    flow_runs: config.flow_runs.retention_days,
  }
  return [
    route(
      {
        method: 'GET',
        path: '/admin/retention',
        tag: 'Admin',
        summary: 'What is kept for how long, how much there is of it, and what has been removed',
        scope: 'server:read',
        responses: { 200: RetentionReport },
      },
      async (): Promise<RetentionReport> => {
        const records = new Map((await readRetention(reads)).map((record) => [record.kind, record]))
        const report = await Promise.all(
          kinds.map(async ({ kind, oldest, facts }) => {
            const record = records.get(kind)
            const at = (await reads.first<{ at: number | null }>(oldest))?.at ?? null
            const found = await reads.first<{ rows: number; bytes: number | null }>(facts)
            const rows = kind === 'events' ? (await reads.first<{ rows: number }>(eventCount))?.rows : found?.rows
            return {
              kind,
              retention_days: days[kind],
              oldest: formatNullableTime(at),
              rows: Number(rows ?? 0),
              bytes: found?.bytes ?? null,
              trimmed: record?.trimmed ?? 0,
              last_run: formatNullableTime(record?.last_run ?? null),
              last_trimmed: record?.last_trimmed ?? 0,
            }
          }),
        )
        return {
          database_bytes: Number((await reads.first<{ bytes: number }>(databaseSize))?.bytes ?? 0),
          adopted_until: formatNullableTime(await readAdoptedUntil(reads)),
          kinds: report,
        }
      },
    ),
  ]
}
