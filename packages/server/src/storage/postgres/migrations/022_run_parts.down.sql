drop trigger flow_run_tags_created on flow_run;
drop trigger flow_run_parts_deleted on flow_run;
drop trigger flow_run_parts_truncated on flow_run;
drop trigger task_run_parts_deleted on task_run;
drop trigger task_run_parts_truncated on task_run;
drop function flow_run_tags_created, flow_run_parts_deleted, flow_run_parts_truncated, task_run_parts_deleted, task_run_parts_truncated;
create trigger flow_run_tags_inserted after insert on flow_run for each row when (new.tags <> '[]') execute function flow_run_tags_changed();

delete from flow_run_state where not exists (select 1 from flow_run where flow_run.id = flow_run_state.flow_run_id);
delete from flow_run_tag where not exists (select 1 from flow_run where flow_run.id = flow_run_tag.flow_run_id);
delete from task_run_state where not exists (select 1 from task_run where task_run.id = task_run_state.task_run_id);
alter table flow_run_state add constraint flow_run_state_flow_run_id_fkey foreign key (flow_run_id) references flow_run(id) on delete cascade;
alter table flow_run_tag add constraint flow_run_tag_flow_run_id_fkey foreign key (flow_run_id) references flow_run(id) on delete cascade;
alter table task_run_state add constraint task_run_state_task_run_id_fkey foreign key (task_run_id) references task_run(id) on delete cascade;
