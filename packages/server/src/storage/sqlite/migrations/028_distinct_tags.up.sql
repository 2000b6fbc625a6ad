-- 028_distinct_tags · breaking: no
-- The conflict clause of a statement replaces those of its triggers, so `or ignore` did not apply to `update or fail`: a run could not get the same tag twice.

drop trigger flow_run_tags_updated;
create trigger flow_run_tags_updated after update of tags on flow_run when new.tags <> old.tags begin
  delete from flow_run_tag where flow_run_id = new.id;
  insert into flow_run_tag
    select distinct value, coalesce(new.start_time, new.expected_start_time), new.expected_start_time, new.id from json_each(new.tags);
end;
