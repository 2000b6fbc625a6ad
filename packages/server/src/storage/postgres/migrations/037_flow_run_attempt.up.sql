-- 037_flow_run_attempt · breaking: no
-- Which attempt of a flow run is current, so that what an earlier one still reports is refused (ADR 0062). Servers of earlier versions leave it as it is.
-- A constant default is kept in the catalogue: no row is rewritten.

alter table flow_run add column attempt bigint not null default 0;
