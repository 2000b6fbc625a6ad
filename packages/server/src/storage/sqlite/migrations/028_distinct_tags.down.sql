drop trigger flow_run_tags_updated;
create trigger flow_run_tags_updated after update of tags on flow_run when new.tags <> old.tags begin
  delete from flow_run_tag where flow_run_id = new.id;
  insert or ignore into flow_run_tag
    select value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
