-- 002_settings · breaking: no
-- What people set beside the runs: variables, saved searches, tokens of browsers and clients.

-- Names sort by their characters' codes, as they do on SQLite, whatever the database's own collation is.
create table variable (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  value json not null,
  tags jsonb not null
);

create table saved_search (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  filters json not null
);

create table csrf_token (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  client text collate "C" not null,
  token_digest text collate "C" not null,
  expiration bigint not null
);

create unique index variable_by_name on variable (name);
create index variable_by_created on variable (created desc, id desc);
create index variable_by_updated on variable (updated desc, id desc);
create unique index saved_search_by_name on saved_search (name);
create unique index csrf_token_by_client on csrf_token (client);
create index csrf_token_by_expiration on csrf_token (expiration);

create index variable_by_tag on variable using gin (tags);

create index concurrency_limit_by_tag on concurrency_limit (name) where substr(name, 1, 4) = 'tag:';
