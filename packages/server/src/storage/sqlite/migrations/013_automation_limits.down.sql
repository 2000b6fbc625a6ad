drop table automation_chain;
drop table automation_suspension;
drop table automation_usage;
