-- 002_settings · breaking: no
-- What people set beside the runs: variables, saved searches, tokens of browsers and clients.

create table variable (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  value text not null,
  tags text not null
);

create table saved_search (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  filters text not null
);

create table csrf_token (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  client text not null,
  token_digest text not null,
  expiration integer not null
);

create unique index variable_by_name on variable (name);
create index variable_by_created on variable (created desc, id desc);
create index variable_by_updated on variable (updated desc, id desc);
create unique index saved_search_by_name on saved_search (name);
create unique index csrf_token_by_client on csrf_token (client);
create index csrf_token_by_expiration on csrf_token (expiration);

create index concurrency_limit_by_tag on concurrency_limit (name) where substr(name, 1, 4) = 'tag:';
