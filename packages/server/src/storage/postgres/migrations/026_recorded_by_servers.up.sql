-- 026_recorded_by_servers · breaking: no
-- A server that writes runs in batches writes the changes of their numbers and their tags itself, by one statement each, and names the rows of such a statement
-- `recorded`. The triggers do it for all others: other statements, servers of the version before, and people (ADR 0047). PostgreSQL prepares a condition for each
-- statement, so all have the same short one.

create or replace function flow_run_tags_changed() returns trigger language plpgsql as $$
begin
  if new.tags <> old.tags then
    delete from flow_run_tag where flow_run_id = new.id;
    insert into flow_run_tag
      select distinct value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id
      from jsonb_array_elements_text(new.tags);
  elsif new.tags <> '[]' and (new.start_time is distinct from old.start_time or new.expected_start_time is distinct from old.expected_start_time) then
    update flow_run_tag set started = coalesce(new.start_time, new.expected_start_time), expected = new.expected_start_time
      where flow_run_id = new.id;
  end if;
  return null;
end $$;

create or replace trigger flow_run_count_created after insert on flow_run
  for each row when (strpos(current_query(), ' as recorded') = 0) execute function run_created();
create or replace trigger flow_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
  for each row when (strpos(current_query(), ' as recorded') = 0) execute function run_updated();
create or replace trigger flow_run_tags_created after insert on flow_run referencing new table as created
  for each statement when (strpos(current_query(), ' as recorded') = 0) execute function flow_run_tags_created();
create or replace trigger flow_run_tags_updated after update of tags, start_time, expected_start_time on flow_run
  for each row when (strpos(current_query(), ' as recorded') = 0) execute function flow_run_tags_changed();

-- A trigger waits for the writers of its table, so each table has its own transaction.
-- step: transaction
create or replace trigger task_run_count_created after insert on task_run
  for each row when (strpos(current_query(), ' as recorded') = 0) execute function run_created();
create or replace trigger task_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
  for each row when (strpos(current_query(), ' as recorded') = 0) execute function run_updated();
