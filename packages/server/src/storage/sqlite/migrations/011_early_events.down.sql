drop table automation_early_event;
