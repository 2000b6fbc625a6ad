-- 011_early_events · breaking: no
-- Events that automations care for and that came before the event which they follow; they are shown after it, or when it has not come in time.

create table automation_early_event (
  log_position integer not null primary key,
  event_id text not null,
  occurred integer not null,
  follows text not null,
  until integer not null
);
create index automation_early_event_by_leader on automation_early_event (follows);
