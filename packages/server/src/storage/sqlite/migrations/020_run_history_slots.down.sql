drop trigger if exists flow_run_count_created_unfinished;
drop trigger if exists flow_run_count_created_finished;
drop trigger if exists flow_run_count_moved;
drop trigger if exists flow_run_count_finished;
drop trigger if exists flow_run_count_restarted;
drop trigger if exists flow_run_count_corrected;
drop trigger if exists flow_run_count_removed_unfinished;
drop trigger if exists flow_run_count_removed_finished;
drop trigger if exists task_run_count_created_unfinished;
drop trigger if exists task_run_count_created_finished;
drop trigger if exists task_run_count_moved;
drop trigger if exists task_run_count_finished;
drop trigger if exists task_run_count_restarted;
drop trigger if exists task_run_count_corrected;
drop trigger if exists task_run_count_removed_unfinished;
drop trigger if exists task_run_count_removed_finished;
drop view if exists run_count_by_slot;
drop view if exists run_count;
drop table if exists run_change;
drop table if exists run_history_slot;
drop table if exists run_total;

-- The counts of 019_finished_run_counts.
create table finished_run_count (
  run_table text not null,
  state_type text not null,
  state_name text not null,
  count integer not null,
  primary key (run_table, state_type, state_name)
) without rowid;

insert into finished_run_count
  select 'flow_run', state_type, coalesce(state_name, ''), count(*) from flow_run
  where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') group by 2, 3;
create trigger flow_run_finished_inserted after insert on flow_run when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') begin
  insert into finished_run_count values ('flow_run', new.state_type, coalesce(new.state_name, ''), 1)
    on conflict (run_table, state_type, state_name) do update set count = count + 1;
end;
create trigger flow_run_finished_first before update of state_type, state_name on flow_run
when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and not exists (select 1 from finished_run_count where run_table = 'flow_run' and state_type = new.state_type and state_name = coalesce(new.state_name, '')) begin
  insert into finished_run_count values ('flow_run', new.state_type, coalesce(new.state_name, ''), 0);
end;
create trigger flow_run_finished_entered after update of state_type, state_name on flow_run
when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  update finished_run_count set count = count + 1
    where run_table = 'flow_run' and state_type = new.state_type and state_name = coalesce(new.state_name, '');
end;
create trigger flow_run_finished_left after update of state_type, state_name on flow_run
when old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  update finished_run_count set count = count - 1
    where run_table = 'flow_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '');
  delete from finished_run_count
    where run_table = 'flow_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '') and count = 0;
end;
create trigger flow_run_finished_deleted after delete on flow_run when old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') begin
  update finished_run_count set count = count - 1
    where run_table = 'flow_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '');
  delete from finished_run_count
    where run_table = 'flow_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '') and count = 0;
end;

insert into finished_run_count
  select 'task_run', state_type, coalesce(state_name, ''), count(*) from task_run
  where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') group by 2, 3;
create trigger task_run_finished_inserted after insert on task_run when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') begin
  insert into finished_run_count values ('task_run', new.state_type, coalesce(new.state_name, ''), 1)
    on conflict (run_table, state_type, state_name) do update set count = count + 1;
end;
create trigger task_run_finished_first before update of state_type, state_name on task_run
when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and not exists (select 1 from finished_run_count where run_table = 'task_run' and state_type = new.state_type and state_name = coalesce(new.state_name, '')) begin
  insert into finished_run_count values ('task_run', new.state_type, coalesce(new.state_name, ''), 0);
end;
create trigger task_run_finished_entered after update of state_type, state_name on task_run
when new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  update finished_run_count set count = count + 1
    where run_table = 'task_run' and state_type = new.state_type and state_name = coalesce(new.state_name, '');
end;
create trigger task_run_finished_left after update of state_type, state_name on task_run
when old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  update finished_run_count set count = count - 1
    where run_table = 'task_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '');
  delete from finished_run_count
    where run_table = 'task_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '') and count = 0;
end;
create trigger task_run_finished_deleted after delete on task_run when old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') begin
  update finished_run_count set count = count - 1
    where run_table = 'task_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '');
  delete from finished_run_count
    where run_table = 'task_run' and state_type = old.state_type and state_name = coalesce(old.state_name, '') and count = 0;
end;
