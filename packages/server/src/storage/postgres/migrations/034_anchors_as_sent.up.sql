-- 034_anchors_as_sent · breaking: no
-- Earlier versions stored the anchor of an interval schedule with six digits of a zero fraction. Clients that compare it with what they sent, such as the Terraform
-- provider, wanted to replace the schedule. There are few schedules, so one statement is cheap.

update deployment_schedule set schedule = replace(schedule::text, '.000000Z"', 'Z"')::json
  where schedule::text like '%"anchor_date":"%.000000Z"%';
