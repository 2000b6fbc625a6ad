drop trigger run_name_changed;
drop trigger run_name_created;
drop table run_name_index;
drop table run_name_block;
drop table run_name;
