drop index deployment_schedule_planned_at;
alter table deployment_schedule drop column planned_at;
