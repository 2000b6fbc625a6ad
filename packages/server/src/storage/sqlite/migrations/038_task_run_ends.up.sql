-- 038_task_run_ends · breaking: no
-- The task runs of a state by their ends, without ordinary completed ones: they are most of all, so that a page of them is found by the ends of all task runs, and their writes
-- cost nothing more.

create index task_run_by_state_end on task_run (state_type, state_name, end_time, id)
  where state_type = 'FAILED' or state_type = 'CRASHED' or state_type = 'CANCELLED' or (state_type = 'COMPLETED' and state_name <> 'Completed');
