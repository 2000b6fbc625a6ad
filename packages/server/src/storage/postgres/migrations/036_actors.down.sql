drop table automation_actor;
