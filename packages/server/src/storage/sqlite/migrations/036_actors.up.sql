-- 036_actors · breaking: no
-- Who asked for a state, and who saved an automation last: `kind:id:name`, null for anonymous clients (ADR 0056). A new column is added to the schema only: no row is rewritten.
-- Servers of earlier versions write states without it. They write all columns of an automation that they have read, so that it has a table of its own.

alter table flow_run_state add column actor text;
alter table task_run_state add column actor text;

create table automation_actor (
  automation_id text not null primary key references automation(id) on delete cascade,
  actor text
);
