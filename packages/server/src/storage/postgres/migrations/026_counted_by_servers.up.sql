-- 026_counted_by_servers · breaking: no
-- A server that changes runs in batches writes the changes of their numbers itself, by one statement for all of them, and names the rows of such a statement
-- `counted`. The triggers count what all others write: other statements, servers of the version before, and people (ADR 0047). A condition this short costs less than
-- calling the function.

create or replace trigger flow_run_count_created after insert on flow_run
  for each row when (strpos(current_query(), ' as counted') = 0) execute function run_created();
create or replace trigger flow_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
  for each row when (strpos(current_query(), ' as counted') = 0) execute function run_updated();

-- A trigger waits for the writers of its table, so each table has its own transaction.
-- step: transaction
create or replace trigger task_run_count_created after insert on task_run
  for each row when (strpos(current_query(), ' as counted') = 0) execute function run_created();
create or replace trigger task_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
  for each row when (strpos(current_query(), ' as counted') = 0) execute function run_updated();
