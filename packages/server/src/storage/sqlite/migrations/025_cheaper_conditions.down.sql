drop index flow_run_in_slot;
create index flow_run_in_slot on flow_run (work_queue_id, state_type)
  where work_queue_id is not null and state_type in ('PENDING', 'RUNNING', 'CANCELLING');
drop index flow_run_finished;
create index flow_run_finished on flow_run (end_time, id)
  where parent_task_run_id is null and state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED');
create index flow_run_unfinished on flow_run (state_type, state_timestamp) where state_type in ('PENDING', 'RUNNING', 'PAUSED', 'CANCELLING');
