-- The extension stays: somebody else may use it.
drop index if exists flow_run_name_trigrams;
