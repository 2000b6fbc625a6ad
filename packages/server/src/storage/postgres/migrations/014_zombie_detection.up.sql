-- 014_zombie_detection · breaking: no
-- Which transitions a run made last, so that a repeated request gets the first answer again; which worker claimed it; when its process was last heard.
-- Lists by end time have runs without one last: the indexes are made anew in that order.

alter table flow_run add column recent_transitions text collate "C";
alter table flow_run add column worker_name text collate "C";
alter table task_run add column recent_transitions text collate "C";

create table flow_run_heartbeat (
  flow_run_id uuid not null primary key references flow_run(id) on delete cascade,
  state_id uuid not null,
  received bigint not null,
  occurred bigint not null,
  spacing bigint,
  disconnected bigint
);

drop index flow_run_by_end;
drop index task_run_by_end;
create index flow_run_by_end on flow_run (end_time desc nulls last, id desc);
create index task_run_by_end on task_run (end_time desc nulls last, id desc);
