import { RetentionReport } from '@millrace/contracts/retention.ts'
import { type Route, route } from '../../lib/route.ts'
import { formatNullableTime } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readAdoptedUntil, readDatabaseBytes, readKindStats, readRetention, retentionDays, retentionKinds } from './retention-store.ts'

export function retentionRoutes({ reads, config }: ServerContext): Route[] {
  const days = retentionDays(config)
  return [
    route(
      {
        method: 'GET',
        path: '/admin/retention',
        tag: 'Admin',
        summary: 'Read retention settings, stored amounts and removed amounts',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: RetentionReport },
      },
      async (): Promise<RetentionReport> => {
        const records = new Map((await readRetention(reads)).map((record) => [record.kind, record]))
        const report = await Promise.all(
          retentionKinds.map(async (kind) => {
            const record = records.get(kind)
            const { oldest, rows, bytes } = await readKindStats(reads, kind)
            return {
              kind,
              retention_days: days[kind],
              oldest: formatNullableTime(oldest),
              rows,
              bytes,
              trimmed: record?.trimmed ?? 0,
              last_run: formatNullableTime(record?.last_run ?? null),
              last_trimmed: record?.last_trimmed ?? 0,
            }
          }),
        )
        return {
          database_bytes: await readDatabaseBytes(reads),
          adopted_until: formatNullableTime(await readAdoptedUntil(reads)),
          kinds: report,
        }
      },
    ),
  ]
}
