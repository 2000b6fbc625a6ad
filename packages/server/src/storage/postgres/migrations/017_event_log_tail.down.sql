-- 017_event_log_tail
-- SQL cannot decompress segments: the events in them are lost, and so are the index and the counts of the others. Restore a backup instead.
drop function millrace_drop_empty_log_partitions();
delete from event_cursor where name = 'event-segments';
drop table event_segment_part;
drop table event_segment;

alter table event rename to event_tail;
alter sequence event_position owned by none;
alter index event_by_position rename to event_tail_by_position;
alter index event_by_id rename to event_tail_by_id;

create table event (
  position bigint not null default nextval('event_position'),
  id uuid not null,
  occurred bigint not null,
  received bigint not null,
  event text collate "C" not null,
  resource_id text collate "C" not null,
  resource json not null,
  related json not null,
  payload json not null,
  follows uuid
) partition by range (occurred);
alter sequence event_position owned by event.position;
create index event_by_position on event (position);
create index event_by_id on event (id);
create index event_by_time on event (occurred, position);
create index event_by_name on event (event, occurred, position);

create table event_resource (
  resource_id text collate "C" not null,
  occurred bigint not null,
  event_position bigint not null,
  role text collate "C" not null
) partition by range (occurred);
create index event_resource_by_resource on event_resource (resource_id, occurred, event_position) include (role);

create table event_tally (
  quarter bigint not null,
  event text collate "C" not null,
  count bigint not null,
  oldest bigint not null,
  newest bigint not null,
  primary key (quarter, event)
) with (fillfactor = 70);

create temporary table event_kept on commit drop as select * from event_tail;
drop table event_tail cascade;
create table event_default partition of event default;
create table event_resource_default partition of event_resource default;
insert into event select * from event_kept;

insert into event_resource (resource_id, occurred, event_position, role) select resource_id, occurred, position, '' from event;
insert into event_tally (quarter, event, count, oldest, newest)
  select occurred / 900000000 * 900000000, event, count(*), min(occurred), max(occurred) from event group by 1, 2;
