-- 024_retrying_runs · breaking: no
-- The runs that have started and wait for a retry. A page of a window of time reads them beside the runs in the order of their starts. They are few: otherwise
-- it reads all runs that are due.

create index flow_run_retrying on flow_run (start_time) where state_type = 'SCHEDULED' and start_time is not null;
