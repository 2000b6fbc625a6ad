-- 013_automation_limits · breaking: no
-- How often automations fire, which of them are suspended for it, and which automations led to what an action has caused.

create table automation_usage (
  scope text collate "C" not null primary key,
  minute bigint not null,
  used bigint not null,
  earned bigint not null
);

create table automation_suspension (
  automation_id uuid not null primary key references automation(id) on delete cascade,
  since bigint not null,
  until bigint not null,
  reason text collate "C" not null
);

-- The subject is an event, or a flow run whose later events belong to the chain as well.
create table automation_chain (
  subject uuid not null primary key,
  chain json not null,
  expires bigint not null
);
create index automation_chain_by_expiry on automation_chain (expires);
