drop index task_run_loose_by_key;
create unique index task_run_loose_by_dynamic_key on task_run (task_key, dynamic_key) where flow_run_id is null;
