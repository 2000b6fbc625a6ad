drop index flow_run_retrying;
