-- 014_zombie_detection · breaking: no
-- Which transitions a run made last, so that a repeated request gets the first answer again; which worker claimed it; when its process was last heard.

alter table flow_run add column recent_transitions text;
alter table flow_run add column worker_name text;
alter table task_run add column recent_transitions text;

create table flow_run_heartbeat (
  flow_run_id text not null primary key references flow_run(id) on delete cascade,
  state_id text not null,
  received integer not null,
  occurred integer not null,
  spacing integer,
  disconnected integer
);
