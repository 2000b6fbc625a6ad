-- 017_event_log_tail · breaking: yes
-- The table event holds only the newest events. Older ones are in segments with their rows (ADR 0023). Rows of existing chapters stay in the table until
-- the service event-segments has moved them into segments.

drop table event_resource;
drop table event_tally;
drop index event_by_time;
drop index event_by_name;

create table event_segment (
  id integer not null primary key autoincrement,
  first integer not null,
  last integer not null,
  count integer not null,
  oldest integer not null,
  newest integer not null,
  blocks blob not null
);

create index event_segment_by_last on event_segment (last);

create table event_segment_part (
  segment_id integer not null references event_segment(id) on delete cascade,
  part text not null,
  block integer not null,
  body blob not null,
  primary key (segment_id, part, block)
);

-- Increased by every transaction that stores or removes segments.
insert into event_cursor (name, seen) values ('event-segments', 1);
