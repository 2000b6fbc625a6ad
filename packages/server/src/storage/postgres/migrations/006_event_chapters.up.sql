-- 006_event_chapters · breaking: no
-- Stretches of the event log in columns: to ask a million events for anything takes milliseconds there, and seconds in the log itself.

create table event_chapter (
  first bigint not null primary key,
  last bigint not null,
  count bigint not null,
  oldest bigint not null,
  newest bigint not null,
  version bigint not null,
  columns bytea not null,
  links bytea not null,
  subjects bytea not null,
  lines bytea not null,
  grams bytea not null
);

-- To compress them takes longer than to read them as they are.
alter table event_chapter
  alter column columns set storage external,
  alter column links set storage external,
  alter column subjects set storage external,
  alter column lines set storage external,
  alter column grams set storage external;
