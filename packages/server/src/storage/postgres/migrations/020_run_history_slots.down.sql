drop trigger if exists flow_run_count_created on flow_run;
drop trigger if exists flow_run_count_updated on flow_run;
drop trigger if exists flow_run_count_deleted on flow_run;
drop trigger if exists flow_run_count_truncated on flow_run;
drop trigger if exists task_run_count_created on task_run;
drop trigger if exists task_run_count_updated on task_run;
drop trigger if exists task_run_count_deleted on task_run;
drop trigger if exists task_run_count_truncated on task_run;
drop function if exists run_created, run_updated, runs_deleted, runs_truncated;
drop function if exists millrace_fold_finished_runs, millrace_fold_runs, millrace_recount_runs;
drop view if exists finished_run_count, run_count_by_slot, run_count;
drop table if exists run_change;
drop table if exists run_history_slot;
drop table if exists run_total;

-- The counts of 019_finished_run_counts.
create table if not exists finished_run_total (
  run_table text collate "C" not null,
  state_type text collate "C" not null,
  state_name text collate "C" not null,
  count bigint not null,
  primary key (run_table, state_type, state_name)
);

-- Differences to the totals. Transactions only insert here, so that they do not wait for each other. The service finished-run-counts adds the rows to
-- the totals and vacuums; autovacuum is for servers that cannot. The end of the table is in use again soon: cutting it off would lock the table.
create table if not exists finished_run_change (
  run_table text collate "C" not null,
  state_type text collate "C" not null,
  state_name text collate "C" not null,
  count bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = -1, vacuum_truncate = off);

-- A state has several rows. Their sum is exact in any snapshot.
create or replace view finished_run_count as
  select run_table, state_type, state_name, count from finished_run_total
  union all select run_table, state_type, state_name, count from finished_run_change;

create or replace function finished_run_inserted() returns trigger language plpgsql as $$
begin
  insert into finished_run_change values (tg_table_name, new.state_type, coalesce(new.state_name, ''), 1);
  return null;
end $$;

create or replace function finished_run_updated() returns trigger language plpgsql as $$
begin
  if new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
    insert into finished_run_change values (tg_table_name, new.state_type, coalesce(new.state_name, ''), 1);
  end if;
  if old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
    insert into finished_run_change values (tg_table_name, old.state_type, coalesce(old.state_name, ''), -1);
  end if;
  return null;
end $$;

create or replace function finished_runs_deleted() returns trigger language plpgsql as $$
begin
  insert into finished_run_change
    select tg_table_name, state_type, coalesce(state_name, ''), -count(*) from deleted
    where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') group by 2, 3;
  return null;
end $$;

create or replace function finished_runs_truncated() returns trigger language plpgsql as $$
begin
  insert into finished_run_change
    select run_table, state_type, state_name, -sum(count) from finished_run_count where run_table = tg_table_name group by 1, 2, 3;
  return null;
end $$;

-- Adds up to `maximum` changes to the totals. Returns how many; none if another server does the same.
create or replace function millrace_fold_finished_runs(maximum bigint) returns bigint language plpgsql as $$
declare
  change record;
  total bigint;
  folded bigint := 0;
begin
  if not pg_try_advisory_xact_lock(7277019) then return 0; end if;
  for change in
    with moved as (
      delete from finished_run_change where ctid = any (array(select ctid from finished_run_change limit maximum)) returning *
    )
    select run_table, state_type, state_name, sum(count)::bigint as count, count(*) as rows from moved group by 1, 2, 3
  loop
    folded := folded + change.rows;
    insert into finished_run_total as stored values (change.run_table, change.state_type, change.state_name, change.count)
      on conflict (run_table, state_type, state_name) do update set count = stored.count + excluded.count
      returning stored.count into total;
    if total = 0 then
      delete from finished_run_total
        where run_table = change.run_table and state_type = change.state_type and state_name = change.state_name;
    end if;
  end loop;
  return folded;
end $$;

-- Counts the finished runs of a table and corrects their counts, while other transactions write. Returns how many states were wrong.
create or replace function millrace_recount_finished_runs(counted text) returns bigint language plpgsql as $$
declare
  corrected bigint;
begin
  -- Before the snapshot of the next statement, so that two servers do not correct the same difference.
  perform pg_advisory_xact_lock(7277020);
  execute format($query$
    insert into finished_run_change
    select %1$L, state_type, state_name, sum(count) from (
      select state_type, coalesce(state_name, '') as state_name, count(*) as count from %1$I
        where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') group by 1, 2
      union all select state_type, state_name, -count from finished_run_count where run_table = %1$L
    ) difference group by 2, 3 having sum(count) <> 0 $query$, counted);
  get diagnostics corrected = row_count;
  return corrected;
end $$;

create or replace trigger flow_run_finished_inserted after insert on flow_run for each row
  when (new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')) execute function finished_run_inserted();
create or replace trigger flow_run_finished_updated after update of state_type, state_name on flow_run for each row
  when ((new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') or old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED'))
    and (new.state_type is distinct from old.state_type or new.state_name is distinct from old.state_name))
  execute function finished_run_updated();
create or replace trigger flow_run_finished_deleted after delete on flow_run referencing old table as deleted
  for each statement execute function finished_runs_deleted();
create or replace trigger flow_run_finished_truncated after truncate on flow_run for each statement execute function finished_runs_truncated();

create or replace trigger task_run_finished_inserted after insert on task_run for each row
  when (new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')) execute function finished_run_inserted();
create or replace trigger task_run_finished_updated after update of state_type, state_name on task_run for each row
  when ((new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') or old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED'))
    and (new.state_type is distinct from old.state_type or new.state_name is distinct from old.state_name))
  execute function finished_run_updated();
create or replace trigger task_run_finished_deleted after delete on task_run referencing old table as deleted
  for each statement execute function finished_runs_deleted();
create or replace trigger task_run_finished_truncated after truncate on task_run for each statement execute function finished_runs_truncated();

select millrace_recount_finished_runs('flow_run');
select millrace_recount_finished_runs('task_run');
