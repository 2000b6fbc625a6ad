drop trigger flow_run_tags_inserted;
drop trigger flow_run_tags_updated;
drop trigger flow_run_tags_started;
drop trigger flow_run_tags_expected;
create table flow_run_tag_new (
  tag text not null,
  started integer,
  expected integer,
  flow_run_id text not null references flow_run(id) on delete cascade
);
insert into flow_run_tag_new (tag, started, expected, flow_run_id)
  select tag, started, expected, flow_run_id from flow_run_tag cross join flow_run on flow_run.id = flow_run_tag.flow_run_id order by flow_run_id, tag;
drop table flow_run_tag;
alter table flow_run_tag_new rename to flow_run_tag;
create index flow_run_tag_by_start on flow_run_tag (tag, started, flow_run_id);
create index flow_run_tag_by_expected on flow_run_tag (tag, expected, flow_run_id);
create unique index flow_run_tag_of_run on flow_run_tag (flow_run_id, tag);

create trigger flow_run_tags_inserted after insert on flow_run when new.tags <> '[]' begin
  insert or ignore into flow_run_tag
    select value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
create trigger flow_run_tags_updated after update of tags on flow_run when new.tags <> old.tags begin
  delete from flow_run_tag where flow_run_id = new.id;
  insert or ignore into flow_run_tag
    select value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
create trigger flow_run_tags_started after update of start_time, expected_start_time on flow_run
when new.tags <> '[]' and coalesce(new.start_time, new.expected_start_time) is not coalesce(old.start_time, old.expected_start_time) begin
  update flow_run_tag set started = coalesce(new.start_time, new.expected_start_time) where flow_run_id = new.id;
end;
create trigger flow_run_tags_expected after update of expected_start_time on flow_run
when new.tags <> '[]' and new.expected_start_time is not old.expected_start_time begin
  update flow_run_tag set expected = new.expected_start_time where flow_run_id = new.id;
end;
