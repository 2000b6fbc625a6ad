-- 004_automations · breaking: no
-- What people want done when something happens or fails to, what their triggers have counted, and what is still to be done.

create table automation (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  description text collate "C" not null,
  enabled boolean not null,
  tags jsonb not null,
  trigger json not null,
  actions json not null,
  actions_on_trigger json not null,
  actions_on_resolve json not null,
  active_since bigint not null
);

-- One row, counted up with every change: by it servers know that what they have read is still so.
create table automation_revision (
  id bigint not null primary key,
  revision bigint not null
);
insert into automation_revision (id, revision) values (1, 0);

create table automation_resource (
  automation_id uuid not null references automation(id) on delete cascade,
  resource_id text collate "C" not null,
  owned boolean not null,
  primary key (automation_id, resource_id)
);

-- No references from here on: a reader of the log that is a moment late may still write for an automation that is gone. Such rows are
-- removed when their time comes.
create table automation_status (
  automation_id uuid not null primary key,
  last_evaluated bigint not null,
  last_fired bigint,
  reason text collate "C"
);

create table automation_bucket (
  slot text collate "C" not null primary key,
  automation_id uuid not null,
  trigger_id uuid not null,
  labels json not null,
  proactive boolean not null,
  opened bigint not null,
  closes bigint not null,
  count bigint not null,
  last_event json
);

create table automation_child_firing (
  slot text collate "C" not null primary key,
  automation_id uuid not null,
  parent_trigger_id uuid not null,
  child_trigger_id uuid not null,
  fired bigint not null,
  log_position bigint not null,
  firing json not null
);

create table automation_firing (
  id uuid not null primary key,
  automation_id uuid not null,
  created bigint not null,
  body json not null
);

-- An action on its way: gone once it was taken. One that calls the outside is claimed first.
create table automation_invocation (
  id uuid not null primary key,
  firing_id uuid not null,
  automation_id uuid not null,
  action_index bigint not null,
  action json not null,
  on_triggered boolean not null,
  outbound boolean not null,
  attempts bigint not null,
  claimed bigint
);

create index automation_by_name on automation (name, id);
create index automation_by_created on automation (created desc, id desc);
create index automation_by_updated on automation (updated desc, id desc);
create index automation_resource_by_resource on automation_resource (resource_id);
create index automation_bucket_by_close on automation_bucket (proactive, closes);
create index automation_bucket_of_automation on automation_bucket (automation_id);
create index automation_child_firing_of_parent on automation_child_firing (parent_trigger_id);
create index automation_child_firing_of_automation on automation_child_firing (automation_id);
create index automation_invocation_waiting on automation_invocation (outbound, id) where claimed is null;
create index automation_invocation_claimed on automation_invocation (claimed) where claimed is not null;
create index automation_invocation_of_firing on automation_invocation (firing_id);

-- What is in the log already happened before there were automations.
insert into event_cursor (name, seen) select 'automations', coalesce(max(position), 0) from event;
