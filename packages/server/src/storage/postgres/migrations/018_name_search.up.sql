-- 018_name_search · breaking: no
-- Finds flow runs by a part of their name. Without the extension, which some services do not allow, a search reads a limited number of runs.

-- step: online, optional
create extension if not exists pg_trgm;
create index concurrently flow_run_name_trigrams on flow_run using gin (name gin_trgm_ops);
