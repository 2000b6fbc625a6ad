-- 021_ascending_indexes · breaking: no
-- New runs are at the end of these indexes instead of the beginning. There a page splits in the middle and stays half empty, and SQLite moves entries between the
-- pages beside it at every other insert. Lists read them backwards.

drop index flow_run_by_start;
create index flow_run_by_start on flow_run (coalesce(start_time, expected_start_time), id, name);
drop index flow_run_by_expected_start;
create index flow_run_by_expected_start on flow_run (expected_start_time, id, name);
drop index flow_run_by_end;
create index flow_run_by_end on flow_run (end_time, id);
drop index flow_run_by_state;
create index flow_run_by_state on flow_run (state_type, coalesce(start_time, expected_start_time), id);
drop index flow_run_by_deployment;
create index flow_run_by_deployment on flow_run (deployment_id, coalesce(start_time, expected_start_time), id) where deployment_id is not null;
drop index flow_run_by_deployment_expected;
create index flow_run_by_deployment_expected on flow_run (deployment_id, expected_start_time, id) where deployment_id is not null;
drop index flow_run_by_flow;
create index flow_run_by_flow on flow_run (flow_id, coalesce(start_time, expected_start_time), id);
drop index flow_run_by_flow_expected;
create index flow_run_by_flow_expected on flow_run (flow_id, expected_start_time, id);
drop index flow_run_of_queue;
create index flow_run_of_queue on flow_run (work_queue_id, expected_start_time, id) where work_queue_id is not null;
drop index flow_run_tag_by_start;
create index flow_run_tag_by_start on flow_run_tag (tag, started, flow_run_id);
drop index flow_run_tag_by_expected;
create index flow_run_tag_by_expected on flow_run_tag (tag, expected, flow_run_id);
drop index task_run_by_expected_start;
create index task_run_by_expected_start on task_run (expected_start_time, id);
drop index task_run_by_end;
create index task_run_by_end on task_run (end_time, id);
drop index artifact_by_key;
create index artifact_by_key on artifact (key, created) where key is not null;
drop index artifact_by_created;
create index artifact_by_created on artifact (created, id);
