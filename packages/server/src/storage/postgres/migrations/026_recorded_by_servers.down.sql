create or replace function flow_run_tags_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.tags <> old.tags then
    delete from flow_run_tag where flow_run_id = new.id;
  end if;
  if tg_op = 'INSERT' or new.tags <> old.tags then
    insert into flow_run_tag
      select distinct value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id
      from jsonb_array_elements_text(new.tags);
  else
    update flow_run_tag set started = coalesce(new.start_time, new.expected_start_time), expected = new.expected_start_time
      where flow_run_id = new.id;
  end if;
  return null;
end $$;
create or replace trigger flow_run_count_created after insert on flow_run for each row execute function run_created();
create or replace trigger flow_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
  for each row execute function run_updated();
create or replace trigger flow_run_tags_created after insert on flow_run referencing new table as created for each statement execute function flow_run_tags_created();
create or replace trigger flow_run_tags_updated after update of tags, start_time, expected_start_time on flow_run for each row
  when (new.tags <> old.tags
    or (new.tags <> '[]' and (coalesce(new.start_time, new.expected_start_time) is distinct from coalesce(old.start_time, old.expected_start_time)
      or new.expected_start_time is distinct from old.expected_start_time)))
  execute function flow_run_tags_changed();
create or replace trigger task_run_count_created after insert on task_run for each row execute function run_created();
create or replace trigger task_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
  for each row execute function run_updated();
