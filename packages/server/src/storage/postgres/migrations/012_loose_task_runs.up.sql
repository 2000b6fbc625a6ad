-- 012_loose_task_runs · breaking: no
-- Task runs outside of flow runs are known by their id alone: what clients tell of two of them may have the same keys. Found by keys they still are.

drop index task_run_loose_by_dynamic_key;
create index task_run_loose_by_key on task_run (task_key, dynamic_key) where flow_run_id is null;
