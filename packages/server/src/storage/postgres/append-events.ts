import type { WriteConnection } from '../connection.ts'
import type { NewEvent } from '../dialect.ts'
import type { ColumnKind } from '../tables.ts'
import { arrayParameter } from './array-parameter.ts'

/** Runs under the log lock, so that positions follow the order of commits. */
const append = `insert into event (id, occurred, received, event, resource_id, resource, related, payload, follows)
  select id, occurred, received, event, resource_id, resource, related, payload, follows
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::json[], $7::json[], $8::json[], $9::uuid[])
    with ordinality as given(id, occurred, received, event, resource_id, resource, related, payload, follows, n)
  order by n
  on conflict (id) do nothing
  returning 1`

/**
 * The same for events that clients sent, perhaps twice. The snapshot of the statement contains a moved event either in the table or in a segment after $11. The
 * unique index finds ids in the table whatever its size: a plan that was made for a few rows would scan it for each event after a burst. Former partitions exist
 * only after an upgrade, and segments after $11 only for some milliseconds. Their ids are collected once for all events: a search for each event took seconds when the
 * planner did not expect segments, while all other events waited for the log lock.
 */
const appendSent = `insert into event (id, occurred, received, event, resource_id, resource, related, payload, follows)
  select id, occurred, received, event, resource_id, resource, related, payload, follows
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::json[], $7::json[], $8::json[], $9::uuid[], $10::boolean[])
    with ordinality as given(id, occurred, received, event, resource_id, resource, related, payload, follows, sent, n)
  where not (sent and (
    ((select 1 from pg_inherits where inhparent = 'event'::regclass limit 1) is not null
      and (select 1 from event known where known.id = given.id limit 1) is not null)
    or ((select max(last) from event_segment) > $11::bigint
      and (select coalesce(jsonb_object_agg(encode(substring(ids from 16 * n + 1 for 16), 'hex'), null), '{}')
        from (select string_agg(part.body, '') from event_segment join event_segment_part part on part.segment_id = event_segment.id
          where event_segment.last > $11::bigint and part.part = 'ids') later(ids), generate_series(0, length(ids) / 16 - 1) n)
        ? encode(uuid_send(given.id), 'hex'))))
  order by n
  on conflict (id) do nothing
  returning 1`

/** The columns of $1 to $9. */
const columns = [
  ['id', 'uuid'],
  ['occurred', 'int'],
  ['received', 'int'],
  ['event', 'text'],
  ['resource_id', 'text'],
  ['resource', 'json'],
  ['related', 'json'],
  ['payload', 'json'],
  ['follows', 'uuid'],
] as const satisfies readonly (readonly [keyof NewEvent['row'], ColumnKind])[]

export async function appendEvents(connection: WriteConnection, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map(({ row }) => row)
  const checked = events.flatMap(({ checkedUntil }) => checkedUntil ?? [])
  const values = columns.map(([name, kind]) =>
    arrayParameter(
      kind,
      rows.map((row) => row[name]),
    ),
  )
  if (checked.length === 0) return connection.runInLogOrder(append, values)
  const sent = arrayParameter(
    'bool',
    events.map(({ checkedUntil }) => checkedUntil !== null),
  )
  await connection.runInLogOrder(appendSent, [...values, sent, Math.min(...checked)], { ignoresExisting: true })
}
