-- 015_schedule_planned_at · breaking: no
-- When a schedule was last planned. A time after now means that it was planned by a clock that was wrong, so its plan has gaps.

alter table deployment_schedule add column planned_at integer;
create index deployment_schedule_planned_at on deployment_schedule (planned_at) where planned_at is not null;
