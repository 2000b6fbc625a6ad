-- 022_run_parts · breaking: no
-- States and tags are written together with their run, or after it was locked. A foreign key read and locked the run again for each row. Triggers remove
-- states and tags with their runs (ADR 0034).

-- Runs first, like the writers.
lock table flow_run, task_run, flow_run_state, task_run_state, flow_run_tag in access exclusive mode;
alter table flow_run_state drop constraint if exists flow_run_state_flow_run_id_fkey;
alter table flow_run_tag drop constraint if exists flow_run_tag_flow_run_id_fkey;
alter table task_run_state drop constraint if exists task_run_state_task_run_id_fkey;

create function flow_run_parts_deleted() returns trigger language plpgsql as $$
begin
  delete from flow_run_state where flow_run_id in (select id from deleted);
  delete from flow_run_tag where flow_run_id in (select id from deleted);
  return null;
end $$;
create trigger flow_run_parts_deleted after delete on flow_run referencing old table as deleted for each statement execute function flow_run_parts_deleted();

create function task_run_parts_deleted() returns trigger language plpgsql as $$
begin
  delete from task_run_state where task_run_id in (select id from deleted);
  return null;
end $$;
create trigger task_run_parts_deleted after delete on task_run referencing old table as deleted for each statement execute function task_run_parts_deleted();

create function flow_run_parts_truncated() returns trigger language plpgsql as $$
begin
  delete from flow_run_state;
  delete from flow_run_tag;
  return null;
end $$;
create trigger flow_run_parts_truncated after truncate on flow_run for each statement execute function flow_run_parts_truncated();

create function task_run_parts_truncated() returns trigger language plpgsql as $$
begin
  delete from task_run_state;
  return null;
end $$;
create trigger task_run_parts_truncated after truncate on task_run for each statement execute function task_run_parts_truncated();

-- The tags of all new runs by one statement. Changes of a run keep their trigger.
create function flow_run_tags_created() returns trigger language plpgsql as $$
begin
  insert into flow_run_tag
    select distinct tag.value, coalesce(created.start_time, created.expected_start_time), created.expected_start_time, created.id
    from created, jsonb_array_elements_text(created.tags) tag;
  return null;
end $$;
drop trigger flow_run_tags_inserted on flow_run;
create trigger flow_run_tags_created after insert on flow_run referencing new table as created for each statement execute function flow_run_tags_created();
