-- 017_event_log_tail
-- SQL cannot decompress segments: the events in them are lost, and so are the index and the counts of the others. Restore a backup instead.
delete from event_cursor where name = 'event-segments';
drop table event_segment_part;
drop table event_segment;

create index event_by_time on event (occurred);
create index event_by_name on event (event, occurred);

create table event_resource (
  resource_id text not null,
  occurred integer not null,
  event_position integer not null,
  role text not null,
  primary key (resource_id, occurred, event_position, role)
) without rowid;

create table event_tally (
  quarter integer not null,
  event text not null,
  count integer not null,
  oldest integer not null,
  newest integer not null,
  primary key (quarter, event)
) without rowid;

insert into event_resource (resource_id, occurred, event_position, role) select resource_id, occurred, position, '' from event;
insert into event_tally (quarter, event, count, oldest, newest)
  select occurred / 900000000 * 900000000, event, count(*), min(occurred), max(occurred) from event group by 1, 2;
