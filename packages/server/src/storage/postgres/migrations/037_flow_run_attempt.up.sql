-- 037_flow_run_attempt · breaking: no
-- Which attempt of a flow run is current, so that what an earlier one still reports is refused (ADR 0062), and who asked for a state (ADR 0056). Servers of earlier versions
-- leave the attempt as it is, and write states without an actor.
-- A constant default is kept in the catalogue, and so are columns without one: no row is rewritten.
--
-- Servers of earlier versions select all columns of these tables by prepared statements, which the database refuses to run in a session that prepared them before there was
-- another column: they would answer each request for a run with 500 until they end. So their sessions end here, and they connect again. They repeat a write that loses its
-- session, but not a read. So the locks are taken when nobody holds them, nobody waits behind them for long, and sessions that run something else end after that. Sessions of
-- servers that migrate too, and of a new database, go on.

-- step: transaction
do $$
begin
  for attempt in 1..200 loop
    begin
      lock table flow_run, flow_run_state, task_run_state in access exclusive mode nowait;
      exit;
    exception when lock_not_available then
      perform pg_sleep(0.002);
    end;
  end loop;
end $$;
alter table flow_run add column if not exists attempt bigint not null default 0;
alter table flow_run_state add column if not exists actor text collate "C";
alter table task_run_state add column if not exists actor text collate "C";
select set_config('millrace.columns_added', clock_timestamp()::text, false);
-- A query of named columns may wait.
select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and application_name = 'millrace' and pid <> pg_backend_pid()
    and query !~ 'millrace_migration|pg_try_advisory_lock' and exists (select 1 from flow_run)
    and (state <> 'active' or (wait_event_type = 'Lock' and (query not like 'select%' or query like '%*%from%')));

-- step: transaction
do $$
begin
  for attempt in 1..100 loop
    perform pg_stat_clear_snapshot();
    perform case when state <> 'active' or attempt = 100 then pg_terminate_backend(pid) end from pg_stat_activity
      where datname = current_database() and usename = current_user and application_name = 'millrace' and pid <> pg_backend_pid()
        and query !~ 'millrace_migration|pg_try_advisory_lock' and exists (select 1 from flow_run)
        and backend_start < current_setting('millrace.columns_added', true)::timestamptz;
    exit when not found;
    perform pg_sleep(0.01);
  end loop;
end $$;
