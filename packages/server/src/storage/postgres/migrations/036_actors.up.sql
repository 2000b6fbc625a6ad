-- 036_actors · breaking: no
-- Who asked for a state, and who saved an automation last: `kind:id:name`, null for anonymous clients (ADR 0056). Migration 037 adds the columns of states, in one transaction with its own column.
-- Servers of earlier versions write all columns of an automation that they have read, so that it has a table of its own.

create table automation_actor (
  automation_id uuid not null primary key references automation(id) on delete cascade,
  actor text collate "C"
);
