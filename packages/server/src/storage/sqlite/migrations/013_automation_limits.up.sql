-- 013_automation_limits · breaking: no
-- How often automations fire, which of them are suspended for it, and which automations led to what an action has caused.

create table automation_usage (
  scope text not null primary key,
  minute integer not null,
  used integer not null,
  earned integer not null
);

create table automation_suspension (
  automation_id text not null primary key references automation(id) on delete cascade,
  since integer not null,
  until integer not null,
  reason text not null
);

-- The subject is an event, or a flow run whose later events belong to the chain as well.
create table automation_chain (
  subject text not null primary key,
  chain text not null,
  expires integer not null
);
create index automation_chain_by_expiry on automation_chain (expires);
