drop index task_run_by_end;
drop index flow_run_by_end;
create index task_run_by_end on task_run (end_time desc, id desc);
create index flow_run_by_end on flow_run (end_time desc, id desc);
drop table flow_run_heartbeat;
alter table task_run drop column recent_transitions;
alter table flow_run drop column worker_name;
alter table flow_run drop column recent_transitions;
