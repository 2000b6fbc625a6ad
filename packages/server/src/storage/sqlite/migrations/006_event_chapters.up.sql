-- 006_event_chapters · breaking: no
-- Stretches of the event log in columns: to ask a million events for anything takes milliseconds there, and seconds in the log itself.

create table event_chapter (
  first integer not null primary key,
  last integer not null,
  count integer not null,
  oldest integer not null,
  newest integer not null,
  version integer not null,
  columns blob not null,
  links blob not null,
  subjects blob not null,
  lines blob not null,
  grams blob not null
);
