-- 023_run_name_blocks · breaking: no
-- Finds flow runs by a part of their name (ADR 0036). PostgreSQL has the index of migration 018.

-- Names that are in no block yet. A run has several if its name changed.
create table run_name (
  id integer primary key,
  flow_run_id text not null,
  name text not null
);

-- Up to 128 runs as a JSON list of [id, name]. May contain runs that were deleted or have another name since.
create table run_name_block (
  id integer primary key,
  entries text not null
);

-- The blocks by each three characters in a row of their names. It stores neither the names nor the places of the characters.
create virtual table run_name_index using fts5(names, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1);

insert into run_name_block (entries)
  select json_group_array(json_array(id, name)) from (select id, name, (row_number() over (order by name, id) - 1) / 128 as block from flow_run) group by block;
insert into run_name_index (rowid, names)
  select id, (select group_concat(entry.value ->> 1, char(10)) from json_each(entries) entry) from run_name_block;

create trigger run_name_created after insert on flow_run begin
  insert into run_name (flow_run_id, name) values (new.id, new.name);
end;
create trigger run_name_changed after update of name on flow_run when new.name is not old.name begin
  insert into run_name (flow_run_id, name) values (new.id, new.name);
end;
