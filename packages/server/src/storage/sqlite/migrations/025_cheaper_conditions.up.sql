-- 025_cheaper_conditions · breaking: no
-- For a list of more than two values SQLite builds a temporary tree whenever it evaluates the condition of an index: twice with each change of a run. Comparisons
-- need none. No query used flow_run_unfinished, because SQLite does not conclude from one state that it is in the list.

drop index flow_run_unfinished;
drop index flow_run_finished;
create index flow_run_finished on flow_run (end_time, id)
  where parent_task_run_id is null and (state_type = 'COMPLETED' or state_type = 'FAILED' or state_type = 'CANCELLED' or state_type = 'CRASHED');
drop index flow_run_in_slot;
create index flow_run_in_slot on flow_run (work_queue_id, state_type)
  where work_queue_id is not null and (state_type = 'PENDING' or state_type = 'RUNNING' or state_type = 'CANCELLING');
