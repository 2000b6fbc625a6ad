-- 020_run_history_slots · breaking: no
-- Counts the runs of every state, and adds up finished runs by expected start, so that counts and histories do not read the runs (ADR 0031).

-- The runs of each state, without the changes that are not added yet. A run without a state has the type ''.
create table run_total (
  id integer primary key,
  run_table text not null,
  state_type text not null,
  state_name text not null,
  count integer not null
);
create unique index run_total_by_state on run_total (run_table, state_type, state_name);

-- Finished runs by expected start, without the changes that are not added yet. A slot has 20 seconds at level 1, 5 minutes at level 2, an hour at level 3.
-- Slot 0 of each level begins 62208000000000000 microseconds before 1970, earlier than any time, so that divisions round down. The sums are microseconds.
create table run_history_slot (
  state_id integer not null,
  level integer not null,
  slot integer not null,
  count integer not null,
  run_time real not null,
  lateness real not null,
  primary key (state_id, level, slot)
) without rowid;

-- Differences to the totals and the slots: `count` runs entered a state, from another one unless `from_type` is null. The slot is that of level 1; it is null
-- for unfinished runs and for runs without an expected start. The service run-counts adds the rows to the totals and the slots.
create table run_change (
  id integer primary key,
  run_table text not null,
  state_type text not null,
  state_name text not null,
  count integer not null,
  slot integer,
  run_time real not null default 0,
  lateness real not null default 0,
  from_type text,
  from_name text
);

-- A state has several rows. Their sum is exact.
create view run_count as
  select run_table, state_type, state_name, count from run_total
  union all select run_table, state_type, state_name, count from run_change
  union all select run_table, from_type, from_name, -count from run_change where from_type is not null;

-- The same by slot of level 1.
create view run_count_by_slot as
  select run_table, state_type, state_name, slot, count, case when slot is null then 0 else run_time end as run_time,
      case when slot is null then 0 else lateness end as lateness from run_change
  union all select run_table, from_type, from_name, null, -count, 0, 0 from run_change where from_type is not null
  union all select total.run_table, total.state_type, total.state_name, stored.slot, stored.count, stored.run_time, stored.lateness
    from run_history_slot stored join run_total total on total.id = stored.state_id where stored.level = 1
  union all select total.run_table, total.state_type, total.state_name, null,
    total.count - coalesce((select sum(stored.count) from run_history_slot stored where stored.state_id = total.id and stored.level = 1), 0), 0, 0
    from run_total total;

drop trigger flow_run_finished_inserted;
drop trigger flow_run_finished_first;
drop trigger flow_run_finished_entered;
drop trigger flow_run_finished_left;
drop trigger flow_run_finished_deleted;
drop trigger task_run_finished_inserted;
drop trigger task_run_finished_first;
drop trigger task_run_finished_entered;
drop trigger task_run_finished_left;
drop trigger task_run_finished_deleted;
drop table finished_run_count;

-- An update must not need a statement journal, which copies each changed page: so its triggers have neither `on conflict` nor `insert ... select` nor a
-- call of a function. For `in` with four values SQLite would build an index each time.
create trigger flow_run_count_created_unfinished after insert on flow_run when not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count) values ('flow_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1);
end;
create trigger flow_run_count_created_finished after insert on flow_run when case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('flow_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end);
end;
create trigger flow_run_count_moved after update of state_type, state_name on flow_run
when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  insert into run_change (run_table, state_type, state_name, count, from_type, from_name)
    values ('flow_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, coalesce(old.state_type, ''), coalesce(old.state_name, ''));
end;
create trigger flow_run_count_finished after update of state_type on flow_run
when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
    values ('flow_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end,
      coalesce(old.state_type, ''), coalesce(old.state_name, ''));
end;
create trigger flow_run_count_restarted after update of state_type on flow_run
when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
    values ('flow_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end,
      coalesce(new.state_type, ''), coalesce(new.state_name, ''));
end;
create trigger flow_run_count_corrected after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end
  and (new.state_type is not old.state_type or new.state_name is not old.state_name or new.expected_start_time is not old.expected_start_time
    or new.start_time is not old.start_time or new.total_run_time is not old.total_run_time) begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('flow_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end);
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('flow_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end);
end;
create trigger flow_run_count_removed_unfinished after delete on flow_run when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count) values ('flow_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1);
end;
create trigger flow_run_count_removed_finished after delete on flow_run when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('flow_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end);
end;

create trigger task_run_count_created_unfinished after insert on task_run when not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count) values ('task_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1);
end;
create trigger task_run_count_created_finished after insert on task_run when case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('task_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end);
end;
create trigger task_run_count_moved after update of state_type, state_name on task_run
when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end
  and (new.state_type is not old.state_type or new.state_name is not old.state_name) begin
  insert into run_change (run_table, state_type, state_name, count, from_type, from_name)
    values ('task_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, coalesce(old.state_type, ''), coalesce(old.state_name, ''));
end;
create trigger task_run_count_finished after update of state_type on task_run
when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
    values ('task_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end,
      coalesce(old.state_type, ''), coalesce(old.state_name, ''));
end;
create trigger task_run_count_restarted after update of state_type on task_run
when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and not case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
    values ('task_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end,
      coalesce(new.state_type, ''), coalesce(new.state_name, ''));
end;
create trigger task_run_count_corrected after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end and case new.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end
  and (new.state_type is not old.state_type or new.state_name is not old.state_name or new.expected_start_time is not old.expected_start_time
    or new.start_time is not old.start_time or new.total_run_time is not old.total_run_time) begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('task_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end);
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('task_run', coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, case when new.start_time > new.expected_start_time then new.start_time - new.expected_start_time else 0 end);
end;
create trigger task_run_count_removed_unfinished after delete on task_run when not case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count) values ('task_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1);
end;
create trigger task_run_count_removed_finished after delete on task_run when case old.state_type when 'COMPLETED' then 1 when 'FAILED' then 1 when 'CANCELLED' then 1 when 'CRASHED' then 1 else 0 end begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    values ('task_run', coalesce(old.state_type, ''), coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -case when old.start_time > old.expected_start_time then old.start_time - old.expected_start_time else 0 end);
end;

insert into run_total (run_table, state_type, state_name, count)
  select 'flow_run', coalesce(state_type, ''), coalesce(state_name, ''), count(*) from flow_run group by 2, 3;
insert into run_history_slot
  select run_total.id, 1, (flow_run.expected_start_time + 62208000000000000) / 20000000, count(*), sum(cast(flow_run.total_run_time as real)),
    sum(cast(max(coalesce(flow_run.start_time - flow_run.expected_start_time, 0), 0) as real))
  from flow_run join run_total on run_total.run_table = 'flow_run' and run_total.state_type = flow_run.state_type and run_total.state_name = coalesce(flow_run.state_name, '')
  where flow_run.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and flow_run.expected_start_time is not null group by 1, 3;
insert into run_total (run_table, state_type, state_name, count)
  select 'task_run', coalesce(state_type, ''), coalesce(state_name, ''), count(*) from task_run group by 2, 3;
insert into run_history_slot
  select run_total.id, 1, (task_run.expected_start_time + 62208000000000000) / 20000000, count(*), sum(cast(task_run.total_run_time as real)),
    sum(cast(max(coalesce(task_run.start_time - task_run.expected_start_time, 0), 0) as real))
  from task_run join run_total on run_total.run_table = 'task_run' and run_total.state_type = task_run.state_type and run_total.state_name = coalesce(task_run.state_name, '')
  where task_run.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and task_run.expected_start_time is not null group by 1, 3;
insert into run_history_slot
  select state_id, 2, slot / 15, sum(count), sum(run_time), sum(lateness) from run_history_slot where level = 1 group by 1, 3;
insert into run_history_slot
  select state_id, 3, slot / 12, sum(count), sum(run_time), sum(lateness) from run_history_slot where level = 2 group by 1, 3;
