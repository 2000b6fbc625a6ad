-- 004_automations · breaking: no
-- What people want done when something happens or fails to, what their triggers have counted, and what is still to be done.

create table automation (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  description text not null,
  enabled integer not null,
  tags text not null,
  trigger text not null,
  actions text not null,
  actions_on_trigger text not null,
  actions_on_resolve text not null,
  active_since integer not null
);

-- One row, counted up with every change: by it servers know that what they have read is still so.
create table automation_revision (
  id integer not null primary key,
  revision integer not null
);
insert into automation_revision (id, revision) values (1, 0);

create table automation_resource (
  automation_id text not null references automation(id) on delete cascade,
  resource_id text not null,
  owned integer not null,
  primary key (automation_id, resource_id)
);

-- No references from here on: a reader of the log that is a moment late may still write for an automation that is gone. Such rows are
-- removed when their time comes.
create table automation_status (
  automation_id text not null primary key,
  last_evaluated integer not null,
  last_fired integer,
  reason text
);

create table automation_bucket (
  slot text not null primary key,
  automation_id text not null,
  trigger_id text not null,
  labels text not null,
  proactive integer not null,
  opened integer not null,
  closes integer not null,
  count integer not null,
  last_event text
);

create table automation_child_firing (
  slot text not null primary key,
  automation_id text not null,
  parent_trigger_id text not null,
  child_trigger_id text not null,
  fired integer not null,
  log_position integer not null,
  firing text not null
);

create table automation_firing (
  id text not null primary key,
  automation_id text not null,
  created integer not null,
  body text not null
);

-- An action on its way: gone once it was taken. One that calls the outside is claimed first.
create table automation_invocation (
  id text not null primary key,
  firing_id text not null,
  automation_id text not null,
  action_index integer not null,
  action text not null,
  on_triggered integer not null,
  outbound integer not null,
  attempts integer not null,
  claimed integer
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
