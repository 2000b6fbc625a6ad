-- 021_ascending_indexes · breaking: no
-- New runs are at the end of these indexes instead of the beginning. There a page splits in the middle and stays half empty, and SQLite moves entries between the
-- pages beside it at every other insert. Lists read them backwards.

-- step: online
create index concurrently flow_run_by_start_ascending on flow_run (coalesce(start_time, expected_start_time), id) include (name);
create index concurrently flow_run_by_expected_start_ascending on flow_run (expected_start_time, id) include (name);
create index concurrently flow_run_by_end_ascending on flow_run (end_time nulls first, id);
create index concurrently flow_run_by_state_ascending on flow_run (state_type, coalesce(start_time, expected_start_time), id);
create index concurrently flow_run_by_deployment_ascending on flow_run (deployment_id, coalesce(start_time, expected_start_time), id) where deployment_id is not null;
create index concurrently flow_run_by_deployment_expected_ascending on flow_run (deployment_id, expected_start_time, id) where deployment_id is not null;
create index concurrently flow_run_by_flow_ascending on flow_run (flow_id, coalesce(start_time, expected_start_time), id);
create index concurrently flow_run_by_flow_expected_ascending on flow_run (flow_id, expected_start_time, id);
create index concurrently flow_run_of_queue_ascending on flow_run (work_queue_id, expected_start_time, id) where work_queue_id is not null;
create index concurrently flow_run_tag_by_start_ascending on flow_run_tag (tag, started, flow_run_id);
create index concurrently flow_run_tag_by_expected_ascending on flow_run_tag (tag, expected, flow_run_id);
create index concurrently task_run_by_expected_start_ascending on task_run (expected_start_time, id);
create index concurrently task_run_by_end_ascending on task_run (end_time nulls first, id);
create index concurrently artifact_by_key_ascending on artifact (key, created) where key is not null;
create index concurrently artifact_by_created_ascending on artifact (created, id);

-- step: transaction
drop index if exists flow_run_by_start;
alter index if exists flow_run_by_start_ascending rename to flow_run_by_start;
drop index if exists flow_run_by_expected_start;
alter index if exists flow_run_by_expected_start_ascending rename to flow_run_by_expected_start;
drop index if exists flow_run_by_end;
alter index if exists flow_run_by_end_ascending rename to flow_run_by_end;
drop index if exists flow_run_by_state;
alter index if exists flow_run_by_state_ascending rename to flow_run_by_state;
drop index if exists flow_run_by_deployment;
alter index if exists flow_run_by_deployment_ascending rename to flow_run_by_deployment;
drop index if exists flow_run_by_deployment_expected;
alter index if exists flow_run_by_deployment_expected_ascending rename to flow_run_by_deployment_expected;
drop index if exists flow_run_by_flow;
alter index if exists flow_run_by_flow_ascending rename to flow_run_by_flow;
drop index if exists flow_run_by_flow_expected;
alter index if exists flow_run_by_flow_expected_ascending rename to flow_run_by_flow_expected;
drop index if exists flow_run_of_queue;
alter index if exists flow_run_of_queue_ascending rename to flow_run_of_queue;

-- step: transaction
drop index if exists flow_run_tag_by_start;
alter index if exists flow_run_tag_by_start_ascending rename to flow_run_tag_by_start;
drop index if exists flow_run_tag_by_expected;
alter index if exists flow_run_tag_by_expected_ascending rename to flow_run_tag_by_expected;

-- step: transaction
drop index if exists task_run_by_expected_start;
alter index if exists task_run_by_expected_start_ascending rename to task_run_by_expected_start;
drop index if exists task_run_by_end;
alter index if exists task_run_by_end_ascending rename to task_run_by_end;

-- step: transaction
drop index if exists artifact_by_key;
alter index if exists artifact_by_key_ascending rename to artifact_by_key;
drop index if exists artifact_by_created;
alter index if exists artifact_by_created_ascending rename to artifact_by_created;
