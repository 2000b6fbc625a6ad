create or replace trigger flow_run_count_created after insert on flow_run for each row execute function run_created();
create or replace trigger flow_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
  for each row execute function run_updated();
create or replace trigger task_run_count_created after insert on task_run for each row execute function run_created();
create or replace trigger task_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
  for each row execute function run_updated();
