-- 006_event_chapters · breaking: no
-- Stretches of the event log in columns: to ask a million events for anything takes milliseconds there, and seconds in the log itself.

create table event_chapter (
  first bigint not null primary key,
  last bigint not null,
  count bigint not null,
  oldest bigint not null,
  newest bigint not null,
  version bigint not null
);

-- Apart, so that trimming, which changes the version, does not write them again.
create table event_chapter_part (
  first bigint not null references event_chapter(first) on delete cascade,
  part text collate "C" not null,
  body bytea not null,
  primary key (first, part)
);

-- To compress them takes longer than to read them as they are.
alter table event_chapter_part alter column body set storage external;
