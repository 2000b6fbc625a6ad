-- 020_run_history_slots · breaking: no
-- Counts the runs of every state, and adds up finished runs by expected start, so that counts and histories do not read the runs (ADR 0031).

-- The runs of each state, without the changes that are not added yet. A run without a state has the type ''.
create table if not exists run_total (
  id integer generated always as identity primary key,
  run_table text collate "C" not null,
  state_type text collate "C" not null,
  state_name text collate "C" not null,
  count bigint not null
);
create unique index if not exists run_total_by_state on run_total (run_table, state_type, state_name);

-- Finished runs by expected start, without the changes that are not added yet. A slot has 20 seconds at level 1, 5 minutes at level 2, an hour at level 3.
-- Slot 0 of each level begins 62208000000000000 microseconds before 1970, earlier than any time, so that divisions round down. The sums are microseconds.
-- Rows are updated in their page while their slot is recent.
create table if not exists run_history_slot (
  slot bigint not null,
  run_time double precision not null,
  lateness double precision not null,
  state_id integer not null,
  count integer not null,
  level smallint not null,
  primary key (state_id, level, slot)
) with (fillfactor = 90);

-- Differences to the totals and the slots: `count` runs entered a state, from another one unless `from_type` is null. The slot is that of level 1; it is null
-- for unfinished runs and for runs without an expected start. Transactions only insert here, so that they do not wait for each other. The service run-counts
-- adds the rows to the totals and the slots, and vacuums; autovacuum is for servers that cannot. The end of the table is in use again soon: cutting it off
-- would lock the table.
create table if not exists run_change (
  run_table text collate "C" not null,
  state_type text collate "C" not null,
  state_name text collate "C" not null,
  count bigint not null,
  slot bigint,
  run_time double precision not null default 0,
  lateness double precision not null default 0,
  from_type text collate "C",
  from_name text collate "C"
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = -1, vacuum_truncate = off);

-- A state has several rows. Their sum is exact in any snapshot.
create or replace view run_count as
  select run_table, state_type, state_name, count from run_total
  union all select run_table, state_type, state_name, count from run_change
  union all select run_table, from_type, from_name, -count from run_change where from_type is not null;

-- The same by slot of level 1.
create or replace view run_count_by_slot as
  select run_table, state_type, state_name, slot, count, case when slot is null then 0 else run_time end as run_time,
      case when slot is null then 0 else lateness end as lateness from run_change
  union all select run_table, from_type, from_name, null, -count, 0, 0 from run_change where from_type is not null
  union all select total.run_table, total.state_type, total.state_name, stored.slot, stored.count, stored.run_time, stored.lateness
    from run_history_slot stored join run_total total on total.id = stored.state_id where stored.level = 1
  union all select total.run_table, total.state_type, total.state_name, null,
    total.count - coalesce((select sum(stored.count) from run_history_slot stored where stored.state_id = total.id and stored.level = 1), 0), 0, 0
    from run_total total;

create or replace function run_created() returns trigger language plpgsql as $$
begin
  if new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
    insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
      values (tg_table_name, new.state_type, coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, greatest(new.start_time - new.expected_start_time, 0));
  else
    insert into run_change (run_table, state_type, state_name, count)
      values (tg_table_name, coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1);
  end if;
  return null;
end $$;

-- Without conditions at the trigger: PostgreSQL prepares them for each statement, which takes 8 to 19 microseconds for each trigger.
create or replace function run_updated() returns trigger language plpgsql as $$
begin
  if old.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
    if new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
      if new.state_type <> old.state_type or new.state_name is distinct from old.state_name
        or new.expected_start_time is distinct from old.expected_start_time or new.start_time is distinct from old.start_time
        or new.total_run_time <> old.total_run_time
      then
        insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
          values (tg_table_name, old.state_type, coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -greatest(old.start_time - old.expected_start_time, 0)),
            (tg_table_name, new.state_type, coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, greatest(new.start_time - new.expected_start_time, 0));
      end if;
    else
      insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
        values (tg_table_name, old.state_type, coalesce(old.state_name, ''), -1, (old.expected_start_time + 62208000000000000) / 20000000, -old.total_run_time, -greatest(old.start_time - old.expected_start_time, 0),
          coalesce(new.state_type, ''), coalesce(new.state_name, ''));
    end if;
  elsif new.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') then
    insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name)
      values (tg_table_name, new.state_type, coalesce(new.state_name, ''), 1, (new.expected_start_time + 62208000000000000) / 20000000, new.total_run_time, greatest(new.start_time - new.expected_start_time, 0),
        coalesce(old.state_type, ''), coalesce(old.state_name, ''));
  elsif new.state_type is distinct from old.state_type or new.state_name is distinct from old.state_name then
    insert into run_change (run_table, state_type, state_name, count, from_type, from_name)
      values (tg_table_name, coalesce(new.state_type, ''), coalesce(new.state_name, ''), 1, coalesce(old.state_type, ''), coalesce(old.state_name, ''));
  end if;
  return null;
end $$;

create or replace function runs_deleted() returns trigger language plpgsql as $$
begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    select tg_table_name, coalesce(state_type, ''), coalesce(state_name, ''), -count(*), slot, -sum(run_time), -sum(lateness) from (
      select state_type, state_name,
        case when is_finished then (expected_start_time + 62208000000000000) / 20000000 end as slot,
        case when is_finished then total_run_time::double precision else 0 end as run_time,
        case when is_finished then greatest(start_time - expected_start_time, 0)::double precision else 0 end as lateness
      from (select *, coalesce(state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and expected_start_time is not null, false) as is_finished from deleted) deleted
    ) deleted group by state_type, state_name, slot;
  return null;
end $$;

create or replace function runs_truncated() returns trigger language plpgsql as $$
begin
  insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    select run_table, state_type, state_name, -sum(count), slot, -sum(run_time), -sum(lateness) from run_count_by_slot
    where run_table = tg_table_name group by 1, 2, 3, 5;
  return null;
end $$;

-- Adds up to `maximum` changes to the totals and the slots. Returns how many; none if another server does the same.
create or replace function millrace_fold_runs(maximum bigint) returns bigint language plpgsql as $$
declare
  changed run_count_by_slot[];
  folded bigint;
  emptied record;
  emptied_states integer[];
begin
  if not pg_try_advisory_xact_lock(7277019) then return 0; end if;
  with moved as (
    delete from run_change where ctid = any (array(select ctid from run_change limit maximum)) returning *
  ), by_slot as (
    select run_table, state_type, state_name, slot, sum(count)::bigint as count, sum(run_time) as run_time, sum(lateness) as lateness from (
      select run_table, state_type, state_name, slot, count, run_time, lateness from moved
      union all select run_table, from_type, from_name, null, -count, 0, 0 from moved where from_type is not null
    ) halves group by 1, 2, 3, 4
  )
  select array_agg(row(run_table, state_type, state_name, slot, count, run_time, lateness)::run_count_by_slot), (select count(*) from moved)
    into changed, folded from by_slot;
  if folded = 0 then return 0; end if;
  -- Not by `on conflict`, which would use up an identity for each known state.
  insert into run_total (run_table, state_type, state_name, count)
    select distinct run_table, state_type, state_name, 0 from unnest(changed) change
    where not exists (select 1 from run_total known where known.run_table = change.run_table and known.state_type = change.state_type
      and known.state_name = change.state_name);
  for emptied in
    with totals as (
      update run_total total set count = total.count + change.count
      from (select run_table, state_type, state_name, sum(count) as count from unnest(changed) group by 1, 2, 3) change
      where total.run_table = change.run_table and total.state_type = change.state_type and total.state_name = change.state_name
      returning total.id, total.count
    ), slots as (
      insert into run_history_slot as stored (state_id, level, slot, count, run_time, lateness)
      select total.id, levels.level, change.slot / levels.width, sum(change.count), sum(change.run_time), sum(change.lateness)
        from unnest(changed) change join run_total total
          on total.run_table = change.run_table and total.state_type = change.state_type and total.state_name = change.state_name
        cross join (values (1, 1), (2, 15), (3, 180)) levels (level, width)
        where change.slot is not null group by 1, 2, 3
      on conflict (state_id, level, slot) do update set
        count = stored.count + excluded.count, run_time = stored.run_time + excluded.run_time, lateness = stored.lateness + excluded.lateness
      returning stored.state_id, stored.level, stored.slot, stored.count
    )
    select state_id, level, slot from slots where count = 0
    union all select id, null, null from totals where count = 0
  loop
    if emptied.level is null then
      emptied_states := emptied_states || emptied.state_id;
    else
      delete from run_history_slot where state_id = emptied.state_id and level = emptied.level and slot = emptied.slot;
    end if;
  end loop;
  -- A change that subtracts can be added before the one that it belongs to, so slots may remain.
  if emptied_states is not null then
    delete from run_total where id = any (emptied_states) and not exists (select 1 from run_history_slot where state_id = id);
  end if;
  return folded;
end $$;

-- Counts the runs of a table and corrects its counts and slots, while other transactions write. Returns how many were wrong.
create or replace function millrace_recount_runs(counted text) returns bigint language plpgsql as $$
declare
  corrected bigint;
begin
  -- Before the snapshot of the next statement, so that two servers do not correct the same difference.
  perform pg_advisory_xact_lock(7277019);
  execute format($query$
    insert into run_change (run_table, state_type, state_name, count, slot, run_time, lateness)
    select %1$L, state_type, state_name, sum(count), slot, sum(run_time), sum(lateness) from (
      select coalesce(state_type, '') as state_type, coalesce(state_name, '') as state_name, null::bigint as slot, count(*) as count,
          0::double precision as run_time, 0::double precision as lateness from %1$I
        where (state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and expected_start_time is not null) is not true group by 1, 2
      union all select state_type, coalesce(state_name, ''), (expected_start_time + 62208000000000000) / 20000000, count(*),
          sum(total_run_time::double precision), sum(greatest(start_time - expected_start_time, 0)::double precision) from %1$I
        where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and expected_start_time is not null group by 1, 2, 3
      union all select state_type, state_name, slot, -count, -run_time, -lateness from run_count_by_slot where run_table = %1$L
    ) difference group by 2, 3, 5 having sum(count) <> 0 or sum(run_time) <> 0 or sum(lateness) <> 0 $query$, counted);
  get diagnostics corrected = row_count;
  delete from run_history_slot where level > 1 and state_id in (select id from run_total where run_table = counted);
  insert into run_history_slot (state_id, level, slot, count, run_time, lateness)
    select state_id, levels.level, slot / width, sum(count), sum(run_time), sum(lateness)
      from run_history_slot stored cross join (values (2, 15), (3, 180)) levels (level, width)
      where stored.level = 1 and state_id in (select id from run_total where run_table = counted) group by 1, 2, 3;
  return corrected;
end $$;

-- A trigger waits for the writers of its table, so each table has its own transaction.
-- step: transaction
create or replace trigger flow_run_count_created after insert on flow_run for each row execute function run_created();
create or replace trigger flow_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run
  for each row execute function run_updated();
create or replace trigger flow_run_count_deleted after delete on flow_run referencing old table as deleted
  for each statement execute function runs_deleted();
create or replace trigger flow_run_count_truncated after truncate on flow_run for each statement execute function runs_truncated();

-- step: transaction
create or replace trigger task_run_count_created after insert on task_run for each row execute function run_created();
create or replace trigger task_run_count_updated after update of state_type, state_name, expected_start_time, start_time, total_run_time on task_run
  for each row execute function run_updated();
create or replace trigger task_run_count_deleted after delete on task_run referencing old table as deleted
  for each statement execute function runs_deleted();
create or replace trigger task_run_count_truncated after truncate on task_run for each statement execute function runs_truncated();

-- The triggers are in use from here on.
-- step: online
select millrace_recount_runs('flow_run');
select millrace_recount_runs('task_run');
select millrace_fold_runs(1000000000);
-- Counts would read the empty pages of the changes.
vacuum (truncate true) run_change;

-- For servers of the version before, which use these names. Their counts are exact with either triggers.
-- step: transaction
create or replace view finished_run_count as
  select run_table, state_type, state_name, count from run_count where state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED');
create or replace function millrace_fold_finished_runs(maximum bigint) returns bigint language sql as 'select millrace_fold_runs(maximum)';

-- step: transaction
drop trigger if exists flow_run_finished_inserted on flow_run;
drop trigger if exists flow_run_finished_updated on flow_run;
drop trigger if exists flow_run_finished_deleted on flow_run;
drop trigger if exists flow_run_finished_truncated on flow_run;

-- step: transaction
drop trigger if exists task_run_finished_inserted on task_run;
drop trigger if exists task_run_finished_updated on task_run;
drop trigger if exists task_run_finished_deleted on task_run;
drop trigger if exists task_run_finished_truncated on task_run;

-- step: transaction
drop function if exists finished_run_inserted, finished_run_updated, finished_runs_deleted, finished_runs_truncated, millrace_recount_finished_runs;
drop table if exists finished_run_change;
drop table if exists finished_run_total;
