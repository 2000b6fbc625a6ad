-- 004_automations
delete from event_cursor where name = 'automations';
drop table automation_invocation;
drop table automation_firing;
drop table automation_child_firing;
drop table automation_bucket;
drop table automation_status;
drop table automation_resource;
drop table automation_revision;
drop table automation;
