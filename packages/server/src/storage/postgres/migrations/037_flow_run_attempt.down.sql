alter table flow_run drop column attempt;
alter table flow_run_state drop column actor;
alter table task_run_state drop column actor;
