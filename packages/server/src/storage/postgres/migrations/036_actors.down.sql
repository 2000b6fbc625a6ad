drop table automation_actor;
alter table flow_run_state drop column actor;
alter table task_run_state drop column actor;
