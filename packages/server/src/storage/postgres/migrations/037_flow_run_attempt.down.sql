alter table flow_run drop column attempt;
