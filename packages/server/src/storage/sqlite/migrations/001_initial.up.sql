-- 001_initial · breaking: no
-- Times and durations are whole microseconds; JSON columns hold the text as it was sent.

create table flow (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  tags text not null,
  labels text not null
);

create table work_pool (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  description text,
  type text not null,
  base_job_template text not null,
  is_paused integer not null,
  concurrency_limit integer,
  status text,
  default_queue_id text,
  storage_configuration text not null,
  last_status_event_id text,
  last_transitioned_status_at integer
);

create table work_queue (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  work_pool_id text not null references work_pool(id) on delete cascade,
  name text not null,
  description text not null,
  is_paused integer not null,
  concurrency_limit integer,
  priority integer not null,
  filter text,
  last_polled integer,
  status text not null
);

create table worker (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  work_pool_id text not null references work_pool(id) on delete cascade,
  name text not null,
  last_heartbeat_time integer not null,
  heartbeat_interval_seconds integer,
  status text not null
);

create table concurrency_limit (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  active integer not null,
  slots integer not null,
  slot_decay_per_second real not null,
  avg_slot_occupancy_seconds real not null,
  decaying_slots real not null default 0,
  denied_slots real not null default 0,
  settled integer not null default 0
);

-- A slot in use is a row that has not expired; nothing counts slots elsewhere. Only where a limit has a decay do slots fade by themselves.
create table concurrency_lease (
  id text not null primary key,
  lease_id text not null,
  limit_id text references concurrency_limit(id) on delete set null,
  slots integer not null,
  holder_type text,
  holder_id text,
  created integer not null,
  expires integer
);

create table deployment (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  flow_id text not null references flow(id) on delete cascade,
  name text not null,
  version text,
  description text,
  paused integer not null,
  status text not null,
  last_polled integer,
  concurrency_limit_id text references concurrency_limit(id) on delete set null,
  concurrency_options text,
  parameters text not null,
  parameter_openapi_schema text,
  enforce_parameter_schema integer not null,
  job_variables text not null,
  tags text not null,
  labels text not null,
  path text,
  entrypoint text,
  pull_steps text,
  work_queue_id text references work_queue(id) on delete set null,
  work_queue_name text,
  storage_document_id text,
  infrastructure_document_id text,
  created_by text,
  updated_by text,
  version_info text
);

-- The scheduler made every run up to planned_until and looks again when it is due; null: never, as long as nothing changes.
create table deployment_schedule (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  deployment_id text not null references deployment(id) on delete cascade,
  schedule text not null,
  active integer not null,
  max_scheduled_runs integer,
  parameters text not null,
  slug text,
  planned_until integer not null,
  due integer
);

-- The current state stands on the row, so that a page of runs is one index range.
create table flow_run (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  flow_id text not null references flow(id) on delete cascade,
  name text not null,
  deployment_id text,
  deployment_version text,
  work_queue_id text references work_queue(id) on delete set null,
  work_queue_name text,
  flow_version text,
  parameters text not null,
  idempotency_key text,
  context text not null,
  empirical_policy text not null,
  tags text not null,
  labels text not null,
  parent_task_run_id text references task_run(id) on delete set null,
  infrastructure_document_id text,
  infrastructure_pid text,
  created_by text,
  auto_scheduled integer not null,
  job_variables text not null,
  run_count integer not null,
  expected_start_time integer,
  next_scheduled_start_time integer,
  start_time integer,
  end_time integer,
  total_run_time integer not null,
  state_id text,
  state_type text,
  state_name text,
  state_timestamp integer,
  state_message text,
  state_data text,
  state_details text
);

create table flow_run_state (
  id text not null primary key,
  flow_run_id text not null references flow_run(id) on delete cascade,
  type text not null,
  name text not null,
  timestamp integer not null,
  message text,
  data text,
  state_details text not null
);

create table flow_run_input (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  flow_run_id text not null references flow_run(id) on delete cascade,
  key text not null,
  value text not null,
  sender text
);

create table task_run (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  flow_run_id text references flow_run(id) on delete cascade,
  name text not null,
  task_key text not null,
  dynamic_key text not null,
  cache_key text,
  cache_expiration integer,
  task_version text,
  flow_run_run_count integer not null,
  empirical_policy text not null,
  tags text not null,
  labels text not null,
  task_inputs text not null,
  run_count integer not null,
  expected_start_time integer,
  next_scheduled_start_time integer,
  start_time integer,
  end_time integer,
  total_run_time integer not null,
  state_id text,
  state_type text,
  state_name text,
  state_timestamp integer,
  state_message text,
  state_data text,
  state_details text
);

create table task_run_state (
  id text not null primary key,
  task_run_id text not null references task_run(id) on delete cascade,
  type text not null,
  name text not null,
  timestamp integer not null,
  message text,
  data text,
  state_details text not null
);

create table task_run_cache (
  id text not null primary key,
  cache_key text not null,
  cache_expiration integer,
  state_id text not null,
  created integer not null
);

-- What the orchestrator said when it did not simply accept.
create table verdict (
  id text not null primary key,
  run_id text not null,
  at integer not null,
  status text not null,
  rule text not null,
  reason text not null,
  facts text,
  from_type text,
  to_type text not null
);

create table log (
  id text not null primary key,
  created integer not null,
  name text not null,
  level integer not null,
  message text not null,
  timestamp integer not null,
  flow_run_id text,
  task_run_id text
);

create table artifact (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  key text,
  type text,
  description text,
  data text,
  metadata_ text,
  flow_run_id text,
  task_run_id text
);

create table artifact_collection (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  key text not null,
  latest_id text not null,
  type text,
  description text,
  data text,
  metadata_ text,
  flow_run_id text,
  task_run_id text
);

-- The event log, which is also the outbox: its position is the order of commits, and is never given twice.
create table event (
  position integer primary key autoincrement,
  id text not null,
  occurred integer not null,
  received integer not null,
  event text not null,
  resource_id text not null,
  resource text not null,
  related text not null,
  payload text not null,
  follows text
);

-- Every resource of every event, what it is about (with no role) and what is related to it: one index, and the table is that index.
create table event_resource (
  resource_id text not null,
  occurred integer not null,
  event_position integer not null,
  role text not null,
  primary key (resource_id, occurred, event_position, role)
) without rowid;

-- How many events there were, kept with the log: to count a million of them one by one takes longer than a page may.
create table event_tally (
  quarter integer not null,
  event text not null,
  count integer not null,
  oldest integer not null,
  newest integer not null,
  primary key (quarter, event)
) without rowid;

-- Names and keys that may exist once.
create unique index flow_by_name on flow (name);
create unique index work_pool_by_name on work_pool (name);
create unique index work_queue_by_name on work_queue (work_pool_id, name);
create unique index worker_by_name on worker (work_pool_id, name);
create unique index concurrency_limit_by_name on concurrency_limit (name);
create unique index deployment_by_name on deployment (flow_id, name);
create unique index deployment_schedule_by_slug on deployment_schedule (deployment_id, slug) where slug is not null;
create unique index flow_run_by_idempotency_key on flow_run (idempotency_key, flow_id) where idempotency_key is not null;
create unique index flow_run_input_by_key on flow_run_input (flow_run_id, key);
create unique index task_run_by_dynamic_key on task_run (flow_run_id, task_key, dynamic_key) where flow_run_id is not null;
create unique index task_run_loose_by_dynamic_key on task_run (task_key, dynamic_key) where flow_run_id is null;
create unique index artifact_collection_by_key on artifact_collection (key);

-- Lists of runs: each order and each common filter that the dashboard asks for is one index range.
-- The name rides along, so that a search by name in these orders reads nothing else.
create index flow_run_by_start on flow_run (coalesce(start_time, expected_start_time) desc, id desc, name);
create index flow_run_by_expected_start on flow_run (expected_start_time desc, id desc, name);
create index flow_run_by_end on flow_run (end_time desc, id desc);
create index flow_run_by_name on flow_run (name, id);
create index flow_run_by_state on flow_run (state_type, coalesce(start_time, expected_start_time) desc, id desc);
create index flow_run_by_deployment on flow_run (deployment_id, coalesce(start_time, expected_start_time) desc, id desc) where deployment_id is not null;
create index flow_run_by_deployment_expected on flow_run (deployment_id, expected_start_time desc, id desc) where deployment_id is not null;
create index flow_run_by_flow on flow_run (flow_id, coalesce(start_time, expected_start_time) desc, id desc);
create index flow_run_by_flow_expected on flow_run (flow_id, expected_start_time desc, id desc);
create index flow_run_by_parent on flow_run (parent_task_run_id) where parent_task_run_id is not null;
create index flow_run_by_due on flow_run (work_queue_id, next_scheduled_start_time) where work_queue_id is not null and state_type = 'SCHEDULED';
create index flow_run_in_slot on flow_run (work_queue_id, state_type) where work_queue_id is not null and state_type in ('PENDING', 'RUNNING', 'CANCELLING');
create index flow_run_of_queue on flow_run (work_queue_id, expected_start_time desc, id desc) where work_queue_id is not null;
create index flow_run_of_queue_name on flow_run (work_queue_name, state_type, next_scheduled_start_time) where work_queue_id is null and work_queue_name is not null;
create index flow_run_scheduled on flow_run (state_name, next_scheduled_start_time, id) where state_type = 'SCHEDULED';
create index flow_run_awaiting_slot on flow_run (deployment_id, next_scheduled_start_time) where state_type = 'SCHEDULED' and state_name = 'AwaitingConcurrencySlot';
create index flow_run_scheduled_of_deployment on flow_run (deployment_id, next_scheduled_start_time) where state_type = 'SCHEDULED' and deployment_id is not null;
create index flow_run_cancelled on flow_run (state_timestamp) where state_type = 'CANCELLED';
create index flow_run_unfinished on flow_run (state_type, state_timestamp) where state_type in ('PENDING', 'RUNNING', 'PAUSED', 'CANCELLING');
create index flow_run_scheduled_of_flow on flow_run (flow_id, next_scheduled_start_time) where state_type = 'SCHEDULED';
-- History counts within it alone: one range for each state and interval. So are the runs of a state counted that belong to a flow, a deployment, a
-- queue or a tag: to look at the 60,000 that failed among a million took half a second.
create index flow_run_history on flow_run
  (state_type, state_name, expected_start_time, start_time, total_run_time, state_timestamp, id, flow_id, deployment_id, work_queue_id);
create index flow_run_state_of_run on flow_run_state (flow_run_id, timestamp);

create index task_run_of_flow_run on task_run (flow_run_id, expected_start_time) where flow_run_id is not null;
create index task_run_by_expected_start on task_run (expected_start_time desc, id desc);
create index task_run_by_end on task_run (end_time desc, id desc);
create index task_run_by_state on task_run (state_type, state_name, expected_start_time, start_time, total_run_time, state_timestamp);
create index task_run_finished on task_run (start_time, state_type, end_time) where end_time is not null;
create index task_run_by_name on task_run (name, id);
create index task_run_state_of_run on task_run_state (task_run_id, timestamp);
create index task_run_cache_by_key on task_run_cache (cache_key, created desc);

create index verdict_of_run on verdict (run_id, at);
create index deployment_by_queue on deployment (work_queue_id);
create index deployment_not_ready on deployment (work_queue_id) where status = 'NOT_READY';
create index deployment_ready on deployment (work_queue_id, last_polled) where status = 'READY';
create index deployment_by_created on deployment (created desc, id desc);
create index deployment_by_updated on deployment (updated desc, id desc);
create index deployment_by_name_alone on deployment (name, id);
create index deployment_by_limit on deployment (concurrency_limit_id) where concurrency_limit_id is not null;
create index deployment_schedule_of_deployment on deployment_schedule (deployment_id);
create index deployment_schedule_due on deployment_schedule (due) where due is not null;
create index work_queue_by_priority on work_queue (work_pool_id, priority);
create index work_queue_named on work_queue (name, id);
create index worker_by_heartbeat on worker (work_pool_id, last_heartbeat_time desc);
create index concurrency_lease_by_limit on concurrency_lease (limit_id, expires, slots);
create index concurrency_lease_by_lease on concurrency_lease (lease_id);
create index concurrency_lease_by_holder on concurrency_lease (holder_id) where holder_id is not null;
create index concurrency_lease_by_expiry on concurrency_lease (expires) where expires is not null;

create index log_of_flow_run on log (flow_run_id, timestamp) where flow_run_id is not null;
create index log_of_task_run on log (task_run_id, timestamp) where task_run_id is not null;
create index log_by_time on log (timestamp);
create index artifact_by_key on artifact (key, created desc) where key is not null;
create index artifact_by_created on artifact (created desc, id desc);
create index artifact_of_flow_run on artifact (flow_run_id) where flow_run_id is not null;
create index artifact_of_task_run on artifact (task_run_id) where task_run_id is not null;

create unique index event_by_id on event (id);
create index event_by_time on event (occurred);
create index event_by_name on event (event, occurred);

-- Which runs carry a tag, in the order in which lists show them: no database can index that inside a list. Kept by triggers, so that no writer
-- can forget it.
create table flow_run_tag (
  tag text not null,
  started integer,
  expected integer,
  flow_run_id text not null references flow_run(id) on delete cascade
);
create index flow_run_tag_by_start on flow_run_tag (tag, started desc, flow_run_id desc);
create index flow_run_tag_by_expected on flow_run_tag (tag, expected desc, flow_run_id desc);
create unique index flow_run_tag_of_run on flow_run_tag (flow_run_id, tag);
create trigger flow_run_tags_inserted after insert on flow_run when new.tags <> '[]' begin
  insert or ignore into flow_run_tag
    select value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
create trigger flow_run_tags_updated after update of tags on flow_run when new.tags <> old.tags begin
  delete from flow_run_tag where flow_run_id = new.id;
  insert or ignore into flow_run_tag
    select value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
create trigger flow_run_tags_started after update of start_time, expected_start_time on flow_run
when new.tags <> '[]' and coalesce(new.start_time, new.expected_start_time) is not coalesce(old.start_time, old.expected_start_time) begin
  update flow_run_tag set started = coalesce(new.start_time, new.expected_start_time) where flow_run_id = new.id;
end;
create trigger flow_run_tags_expected after update of expected_start_time on flow_run
when new.tags <> '[]' and new.expected_start_time is not old.expected_start_time begin
  update flow_run_tag set expected = new.expected_start_time where flow_run_id = new.id;
end;
