import { deleteLeaseRows } from '../../domains/concurrency-limits/lease-store.ts'
import { parseUuid } from '../../lib/ids.ts'
import { addSeconds, type Micros } from '../../lib/time.ts'
import type { LeaseRow } from '../../runs/slots/lease-store.ts'
import { type Db, statement } from '../../storage/database.ts'
import { type Check, countText, type DoctorInput, type Finding, repairCommand } from '../finding.ts'

const leasesMax = 100_000

const leases = statement('select * from concurrency_lease order by created, id limit $1')
const endedTypes = "('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')"
const activeRuns = (table: 'flow_run' | 'task_run') =>
  statement(
    (dialect) =>
      `select id from ${table} where ${dialect.inList('id', '$1', 'uuid')} and (state_type is null or state_type not in ${endedTypes} or state_timestamp > $2)`,
  )
const activeFlowRuns = activeRuns('flow_run')
const activeTaskRuns = activeRuns('task_run')
const usage = statement(
  `select concurrency_limit.name, concurrency_limit.slots, cast(sum(concurrency_lease.slots) as bigint) as used from concurrency_lease
    join concurrency_limit on concurrency_limit.id = concurrency_lease.limit_id
    where expires is null or expires > $1 group by concurrency_limit.id, concurrency_limit.name, concurrency_limit.slots`,
)

/** A lease may outlive its run by this time: the client releases it with a request of its own. */
const graceSeconds = 600

/** Slots in use are the leases of holders that are at work. */
export const slots: Check = {
  name: 'slots',
  summary: 'that each slot in use has a holder, and that expired leases are removed',
  async run(input) {
    const { db, now, config } = input
    const rows = await db.all<LeaseRow>(leases, [leasesMax])
    const staleBefore = addSeconds(now, -Math.max(300, 10 * config.services.lease_expiration.every_seconds))
    const expired = rows.filter(({ expires }) => expires !== null && expires < staleBefore)
    const leaked = await findLeaked(db, rows, addSeconds(now, -graceSeconds))
    const withoutLimit = rows.filter(({ limit_id, expires }) => limit_id === null && expires === null)
    return [
      ...leasesFinding(leaked, {
        severity: 'error',
        what: `${countText(slotsOf(leaked), 'slot')} of concurrency limits are held by runs that ended or do not exist, and the leases never expire.`,
        why: 'Other runs wait for these slots.',
      }),
      ...leasesFinding(expired, {
        severity: 'warning',
        what: `${countText(expired.length, 'lease')} expired more than five minutes ago and were not removed.`,
        why: 'The service lease-expiration does not run, so that waiting runs are not woken.',
      }),
      ...leasesFinding(withoutLimit, {
        severity: 'warning',
        what: `${countText(withoutLimit.length, 'lease')} without a limit never expire.`,
        why: 'Their limits were deleted. The rows stay forever.',
      }),
      ...(await overfull(input)),
    ]
  },
}

const slotsOf = (rows: readonly LeaseRow[]): number => rows.reduce((sum, row) => sum + Number(row.slots), 0)

function leasesFinding(rows: readonly LeaseRow[], finding: Pick<Finding, 'severity' | 'what' | 'why'>): Finding[] {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  return [
    {
      ...finding,
      fix: repairCommand,
      repair: {
        title: `release ${countText(rows.length, 'lease')}`,
        run: ({ commands }) =>
          commands.submit(async (tx) => {
            tx.notify('slots')
            return `Released ${countText(await deleteLeaseRows(tx, ids), 'lease')}.`
          }),
      },
    },
  ]
}

/** Leases without an expiry whose holder is a run that ended before a time, or that does not exist. */
async function findLeaked(db: Db, rows: readonly LeaseRow[], endedBefore: Micros): Promise<LeaseRow[]> {
  const held = rows.filter(
    ({ expires, holder_id, holder_type, created }) =>
      expires === null && holder_id !== null && (holder_type === 'flow_run' || holder_type === 'task_run') && created < endedBefore,
  )
  const ids = [...new Set(held.flatMap(({ holder_id }) => parseUuid(holder_id ?? '') ?? []))]
  const active = new Set<string>()
  for (let from = 0; from < ids.length; from += 1000) {
    const list = db.dialect.list(ids.slice(from, from + 1000))
    for (const query of [activeFlowRuns, activeTaskRuns]) {
      for (const { id } of await db.all<{ id: string }>(query, [list, endedBefore])) active.add(id)
    }
  }
  return held.filter(({ holder_id }) => !active.has(parseUuid(holder_id ?? '') ?? ''))
}

async function overfull({ db, now }: DoctorInput): Promise<Finding[]> {
  const rows = await db.all<{ name: string; slots: number; used: number }>(usage, [now])
  return rows
    .filter(({ slots: limit, used }) => Number(used) > Number(limit))
    .map(({ name, slots: limit, used }) => ({
      severity: 'info',
      what: `The concurrency limit "${name}" has ${limit} slots, and ${used} are in use.`,
      why: 'The limit was lowered while runs held slots. It applies again when they end.',
      fix: 'Nothing, or cancel some of the holders: `millrace concurrency inspect`.',
    }))
}
