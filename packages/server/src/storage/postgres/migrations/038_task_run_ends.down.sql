drop index task_run_by_state_end;
