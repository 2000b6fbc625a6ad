drop table flow_run_heartbeat;
alter table task_run drop column recent_transitions;
alter table flow_run drop column worker_name;
alter table flow_run drop column recent_transitions;
