-- 001_initial · breaking: no
-- Times and durations are whole microseconds (millrace_time() shows them to people); JSON columns hold the text as it was sent.
-- Texts sort by their bytes on both databases, whatever the locale of this one.

create function millrace_time(micros bigint) returns timestamptz language sql immutable as
  $$ select timestamptz 'epoch' + micros * interval '1 microsecond' $$;

create table flow (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  tags jsonb not null,
  labels json not null
);

create table work_pool (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  description text collate "C",
  type text collate "C" not null,
  base_job_template json not null,
  is_paused boolean not null,
  concurrency_limit bigint,
  status text collate "C",
  default_queue_id uuid,
  storage_configuration json not null,
  last_status_event_id uuid,
  last_transitioned_status_at bigint
);

create table work_queue (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  work_pool_id uuid not null references work_pool(id) on delete cascade,
  name text collate "C" not null,
  description text collate "C" not null,
  is_paused boolean not null,
  concurrency_limit bigint,
  priority bigint not null,
  filter json,
  last_polled bigint,
  status text collate "C" not null
);

create table worker (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  work_pool_id uuid not null references work_pool(id) on delete cascade,
  name text collate "C" not null,
  last_heartbeat_time bigint not null,
  heartbeat_interval_seconds bigint,
  status text collate "C" not null
);

create table concurrency_limit (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  active boolean not null,
  slots bigint not null,
  slot_decay_per_second double precision not null,
  avg_slot_occupancy_seconds double precision not null,
  decaying_slots double precision not null default 0,
  denied_slots double precision not null default 0,
  settled bigint not null default 0
);

-- A slot in use is a row that has not expired; nothing counts slots elsewhere. Only where a limit has a decay do slots fade by themselves.
create table concurrency_lease (
  id uuid not null primary key,
  lease_id uuid not null,
  limit_id uuid references concurrency_limit(id) on delete set null,
  slots bigint not null,
  holder_type text collate "C",
  holder_id text collate "C",
  created bigint not null,
  expires bigint
);

create table deployment (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  flow_id uuid not null references flow(id) on delete cascade,
  name text collate "C" not null,
  version text collate "C",
  description text collate "C",
  paused boolean not null,
  status text collate "C" not null,
  last_polled bigint,
  concurrency_limit_id uuid references concurrency_limit(id) on delete set null,
  concurrency_options json,
  parameters json not null,
  parameter_openapi_schema json,
  enforce_parameter_schema boolean not null,
  job_variables json not null,
  tags jsonb not null,
  labels json not null,
  path text collate "C",
  entrypoint text collate "C",
  pull_steps json,
  work_queue_id uuid references work_queue(id) on delete set null,
  work_queue_name text collate "C",
  storage_document_id uuid,
  infrastructure_document_id uuid,
  created_by json,
  updated_by json,
  version_info json
);

-- The scheduler made every run up to planned_until and looks again when it is due; null: never, as long as nothing changes.
create table deployment_schedule (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  deployment_id uuid not null references deployment(id) on delete cascade,
  schedule json not null,
  active boolean not null,
  max_scheduled_runs bigint,
  parameters json not null,
  slug text collate "C",
  planned_until bigint not null,
  due bigint
);

-- The current state stands on the row, so that a page of runs is one index range.
create table flow_run (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  flow_id uuid not null references flow(id) on delete cascade,
  name text collate "C" not null,
  deployment_id uuid,
  deployment_version text collate "C",
  work_queue_id uuid references work_queue(id) on delete set null,
  work_queue_name text collate "C",
  flow_version text collate "C",
  parameters json not null,
  idempotency_key text collate "C",
  context json not null,
  empirical_policy json not null,
  tags jsonb not null,
  labels json not null,
  parent_task_run_id uuid,
  infrastructure_document_id uuid,
  infrastructure_pid text collate "C",
  created_by json,
  auto_scheduled boolean not null,
  job_variables json not null,
  run_count bigint not null,
  expected_start_time bigint,
  next_scheduled_start_time bigint,
  start_time bigint,
  end_time bigint,
  total_run_time bigint not null,
  state_id uuid,
  state_type text collate "C",
  state_name text collate "C",
  state_timestamp bigint,
  state_message text collate "C",
  state_data json,
  state_details json
);

create table flow_run_state (
  id uuid not null primary key,
  flow_run_id uuid not null references flow_run(id) on delete cascade,
  type text collate "C" not null,
  name text collate "C" not null,
  timestamp bigint not null,
  message text collate "C",
  data json,
  state_details json not null
);

create table flow_run_input (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  flow_run_id uuid not null references flow_run(id) on delete cascade,
  key text collate "C" not null,
  value text collate "C" not null,
  sender text collate "C"
);

create table task_run (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  flow_run_id uuid references flow_run(id) on delete cascade,
  name text collate "C" not null,
  task_key text collate "C" not null,
  dynamic_key text collate "C" not null,
  cache_key text collate "C",
  cache_expiration bigint,
  task_version text collate "C",
  flow_run_run_count bigint not null,
  empirical_policy json not null,
  tags jsonb not null,
  labels json not null,
  task_inputs json not null,
  run_count bigint not null,
  expected_start_time bigint,
  next_scheduled_start_time bigint,
  start_time bigint,
  end_time bigint,
  total_run_time bigint not null,
  state_id uuid,
  state_type text collate "C",
  state_name text collate "C",
  state_timestamp bigint,
  state_message text collate "C",
  state_data json,
  state_details json
);

create table task_run_state (
  id uuid not null primary key,
  task_run_id uuid not null references task_run(id) on delete cascade,
  type text collate "C" not null,
  name text collate "C" not null,
  timestamp bigint not null,
  message text collate "C",
  data json,
  state_details json not null
);

create table task_run_cache (
  id uuid not null primary key,
  cache_key text collate "C" not null,
  cache_expiration bigint,
  state_id uuid not null,
  created bigint not null
);

-- What the orchestrator said when it did not simply accept.
create table verdict (
  id uuid not null primary key,
  run_id uuid not null,
  at bigint not null,
  status text collate "C" not null,
  rule text collate "C" not null,
  reason text collate "C" not null,
  facts json,
  from_type text collate "C",
  to_type text collate "C" not null
);

create table log (
  id uuid not null,
  created bigint not null,
  name text collate "C" not null,
  level bigint not null,
  message text collate "C" not null,
  timestamp bigint not null,
  flow_run_id uuid,
  task_run_id uuid,
  primary key (id, timestamp)
) partition by range (timestamp);
create table log_default partition of log default;

create table artifact (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  key text collate "C",
  type text collate "C",
  description text collate "C",
  data json,
  metadata_ json,
  flow_run_id uuid,
  task_run_id uuid
);

create table artifact_collection (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  key text collate "C" not null,
  latest_id uuid not null,
  type text collate "C",
  description text collate "C",
  data json,
  metadata_ json,
  flow_run_id uuid,
  task_run_id uuid
);

-- The event log, which is also the outbox: its position is the order of commits. A unique key of a partitioned table must hold the column
-- by which it is partitioned; that an id comes once is seen to by the writers, who write one after the other.
create sequence event_position;
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
create table event_default partition of event default;

-- Every resource of every event, what it is about (with no role) and what is related to it.
create table event_resource (
  resource_id text collate "C" not null,
  occurred bigint not null,
  event_position bigint not null,
  role text collate "C" not null
) partition by range (occurred);
create table event_resource_default partition of event_resource default;

-- How many events there were, kept with the log: to count a million of them one by one takes longer than a page may.
create table event_tally (
  quarter bigint not null,
  event text collate "C" not null,
  count bigint not null,
  oldest bigint not null,
  newest bigint not null,
  primary key (quarter, event)
) with (fillfactor = 70);

-- Flow runs and task runs point at each other, so that one of them has to come later.
alter table flow_run add foreign key (parent_task_run_id) references task_run(id) on delete set null;

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
create index flow_run_by_start on flow_run (coalesce(start_time, expected_start_time) desc, id desc) include (name);
create index flow_run_by_expected_start on flow_run (expected_start_time desc, id desc) include (name);
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
create index flow_run_history on flow_run (state_type, state_name, expected_start_time)
  include (start_time, total_run_time, state_timestamp, id, flow_id, deployment_id, work_queue_id);
create index flow_run_state_of_run on flow_run_state (flow_run_id, timestamp);

create index task_run_of_flow_run on task_run (flow_run_id, expected_start_time) where flow_run_id is not null;
create index task_run_by_expected_start on task_run (expected_start_time desc, id desc);
create index task_run_by_end on task_run (end_time desc, id desc);
create index task_run_by_state on task_run (state_type, state_name, expected_start_time) include (start_time, total_run_time, state_timestamp);
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

create index event_by_position on event (position);
create index event_by_id on event (id);
create index event_by_time on event (occurred, position);
create index event_by_name on event (event, occurred, position);
create index event_resource_by_resource on event_resource (resource_id, occurred, event_position) include (role);

-- Which runs carry a tag, in the order in which lists show them: no database can index that inside a list. Kept by triggers, so that no writer
-- can forget it.
create table flow_run_tag (
  tag text collate "C" not null,
  started bigint,
  expected bigint,
  flow_run_id uuid not null references flow_run(id) on delete cascade
);
create index flow_run_tag_by_start on flow_run_tag (tag, started desc, flow_run_id desc);
create index flow_run_tag_by_expected on flow_run_tag (tag, expected desc, flow_run_id desc);
create unique index flow_run_tag_of_run on flow_run_tag (flow_run_id, tag);
create function flow_run_tags_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.tags <> old.tags then
    delete from flow_run_tag where flow_run_id = new.id;
  end if;
  if tg_op = 'INSERT' or new.tags <> old.tags then
    insert into flow_run_tag
      select distinct value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id
      from jsonb_array_elements_text(new.tags);
  else
    update flow_run_tag set started = coalesce(new.start_time, new.expected_start_time), expected = new.expected_start_time
      where flow_run_id = new.id;
  end if;
  return null;
end $$;
create trigger flow_run_tags_inserted after insert on flow_run for each row when (new.tags <> '[]') execute function flow_run_tags_changed();
create trigger flow_run_tags_updated after update of tags, start_time, expected_start_time on flow_run for each row
  when (new.tags <> old.tags
    or (new.tags <> '[]' and (coalesce(new.start_time, new.expected_start_time) is distinct from coalesce(old.start_time, old.expected_start_time)
      or new.expected_start_time is distinct from old.expected_start_time)))
  execute function flow_run_tags_changed();
create index task_run_by_tag on task_run using gin (tags);

-- Events and logs are partitioned by time, so that what is too old goes at once and its disk comes back. Whatever no partition was made for
-- in time lies in the default one. Both functions give up at once when somebody is in the way: a later pass tries again.
create function millrace_time_column(parent text) returns text language sql immutable as $$ select case parent when 'log' then 'timestamp' else 'occurred' end $$;

create function millrace_add_partition(parent text, width bigint, at bigint) returns boolean language plpgsql as $$
declare
  low bigint := at - at % width;
  partition text := parent || '_' || to_char(millrace_time(low) at time zone 'utc', 'YYYYMMDD');
  taken boolean;
begin
  perform set_config('lock_timeout', '200ms', true), pg_advisory_xact_lock(7277002);
  if to_regclass(partition) is not null then return false; end if;
  -- Making a partition reads all of the default one while nobody else may, and fails when a row of it belongs in the new one.
  if pg_relation_size((parent || '_default')::regclass) > 64 * 1024 * 1024 then return false; end if;
  execute format('select exists (select 1 from %I where %I >= $1 and %I < $2)', parent || '_default', millrace_time_column(parent), millrace_time_column(parent))
    into taken using low, low + width;
  if taken then return false; end if;
  execute format('create table %I partition of %I for values from (%s) to (%s)', partition, parent, low, low + width);
  return true;
end $$;

-- Drops the oldest partition that begins after an instant and ends at or before another, if there is one: where it began, and about how many
-- rows it had.
create function millrace_drop_partition(parent text, width bigint, after bigint, before bigint) returns table (low bigint, rows bigint) language plpgsql as $$
declare
  partition text;
begin
  perform set_config('lock_timeout', '200ms', true), pg_advisory_xact_lock(7277002);
  select child.relname, (to_date(right(child.relname, 8), 'YYYYMMDD') - date '1970-01-01') * 86400000000, greatest(child.reltuples, 0)::bigint
    into partition, low, rows
    from pg_inherits join pg_class child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = parent::regclass and child.relname ~ '_\d{8}$'
      and (to_date(right(child.relname, 8), 'YYYYMMDD') - date '1970-01-01') * 86400000000 > after
      and (to_date(right(child.relname, 8), 'YYYYMMDD') - date '1970-01-01') * 86400000000 + width <= before
    order by child.relname limit 1;
  if partition is null then return; end if;
  execute format('drop table %I', partition);
  return next;
end $$;

do $$
begin
  for days in 0..1 loop
    perform millrace_add_partition(parent, 86400000000, (extract(epoch from now())::bigint + days * 86400) * 1000000) from unnest(array['event', 'event_resource']) parent;
  end loop;
  perform millrace_add_partition('log', 604800000000, extract(epoch from now())::bigint * 1000000);
end $$;
