import type { WriteConnection } from '../connection.ts'
import type { NewEvent } from '../dialect.ts'

/**
 * One statement for all tables. It runs under the log lock, so that no other writer can insert an id between the check and the insert,
 * and positions follow the order of commits.
 */
const appendStatement = `with given as (
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::json[], $7::json[], $8::json[], $9::uuid[], $10::bigint[],
      $11::boolean[]) with ordinality as given(id, occurred, received, event, resource_id, resource, related, payload, follows, quarter, sent, n)
  ), fresh as (
    insert into event (id, occurred, received, event, resource_id, resource, related, payload, follows)
    select id, occurred, received, event, resource_id, resource, related, payload, follows from given
    where not (sent and exists (select 1 from event known where known.id = given.id))
    order by n
    returning position, id
  ), linked as (
    insert into event_resource (resource_id, occurred, event_position, role)
    select link.resource_id, given.occurred, fresh.position, link.role
    from unnest($12::uuid[], $13::text[], $14::text[]) as link(id, resource_id, role) join fresh using (id) join given using (id)
  ), by_name as (
    insert into event_tally as rollup (quarter, event, count, oldest, newest)
    select quarter, event, count(*), min(occurred), max(occurred) from given join fresh using (id) group by quarter, event
    on conflict (quarter, event) do update
      set count = rollup.count + excluded.count, oldest = least(rollup.oldest, excluded.oldest), newest = greatest(rollup.newest, excluded.newest)
  )
  select count(*) as count from fresh`

export async function appendEvents(connection: WriteConnection, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map(({ row }) => row)
  const links = events.flatMap(({ row, resources }) => resources.map(({ id, role }) => ({ event: row.id, id, role })))
  await connection.runInLogOrder(appendStatement, [
    rows.map(({ id }) => id),
    rows.map(({ occurred }) => occurred),
    rows.map(({ received }) => received),
    rows.map(({ event }) => event),
    rows.map(({ resource_id }) => resource_id),
    rows.map(({ resource }) => resource),
    rows.map(({ related }) => related),
    rows.map(({ payload }) => payload),
    rows.map(({ follows }) => follows),
    events.map(({ quarter }) => quarter),
    events.map(({ isFromClient }) => isFromClient),
    links.map(({ event }) => event),
    links.map(({ id }) => id),
    links.map(({ role }) => role),
  ])
}
