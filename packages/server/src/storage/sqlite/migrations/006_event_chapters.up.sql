-- 006_event_chapters · breaking: no
-- Stretches of the event log in columns: to ask a million events for anything takes milliseconds there, and seconds in the log itself.

create table event_chapter (
  first integer not null primary key,
  last integer not null,
  count integer not null,
  oldest integer not null,
  newest integer not null,
  version integer not null
);

-- Apart, so that trimming, which changes the version, does not write them again.
create table event_chapter_part (
  first integer not null references event_chapter(first) on delete cascade,
  part text not null,
  body blob not null,
  primary key (first, part)
);
