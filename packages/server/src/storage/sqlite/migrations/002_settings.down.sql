-- 002_settings
drop index concurrency_limit_by_tag;
drop table csrf_token;
drop table saved_search;
drop table variable;
