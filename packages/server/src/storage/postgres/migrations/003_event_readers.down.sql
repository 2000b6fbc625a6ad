-- 003_event_readers
drop index flow_run_finished;
drop index task_run_unfinished;
drop table deferred_task;
drop table retention;
drop table event_cursor;
