-- 003_event_readers · breaking: no
-- Who reads the event log, and what the server still has to hand out or has removed.

create table event_cursor (
  name text collate "C" not null primary key,
  seen bigint not null
);

create table retention (
  kind text collate "C" not null primary key,
  trimmed bigint not null,
  last_run bigint not null,
  last_trimmed bigint not null
);

-- A row is a task run on its way to a task worker: gone once it was acknowledged, free again when its claim runs out.
create table deferred_task (
  task_run_id uuid not null primary key references task_run(id) on delete cascade,
  task_key text collate "C" not null,
  state_id uuid not null,
  queued bigint not null,
  claimed_until bigint
);

create index deferred_task_by_key on deferred_task (task_key, queued);

-- Task runs that may have been forgotten by the client that ran them.
create index task_run_unfinished on task_run (id) where state_type in ('PENDING', 'RUNNING') and flow_run_id is not null;

-- The order in which finished runs are trimmed.
create index flow_run_finished on flow_run (end_time, id) where parent_task_run_id is null and state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED');
