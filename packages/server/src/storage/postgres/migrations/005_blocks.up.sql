-- 005_blocks · breaking: no
-- Blocks: kinds of configuration, the shapes they have, and what people filled in. The data of a document is encrypted as a whole.

create table block_type (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  logo_url text collate "C",
  documentation_url text collate "C",
  description text collate "C",
  code_example text collate "C",
  is_protected boolean not null
);

create table block_schema (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  block_type_id uuid not null references block_type(id) on delete cascade,
  checksum text collate "C" not null,
  fields json not null,
  capabilities jsonb not null,
  version text collate "C" not null
);

create table block_schema_reference (
  id uuid not null primary key,
  parent_block_schema_id uuid not null references block_schema(id) on delete cascade,
  reference_block_schema_id uuid not null references block_schema(id) on delete cascade,
  name text collate "C" not null
);

create table block_document (
  id uuid not null primary key,
  created bigint not null,
  updated bigint not null,
  name text collate "C" not null,
  block_type_id uuid not null references block_type(id) on delete cascade,
  block_type_name text collate "C" not null,
  block_schema_id uuid not null references block_schema(id) on delete cascade,
  is_anonymous boolean not null,
  data text collate "C" not null,
  key_id text collate "C" not null
);

create table block_document_reference (
  id uuid not null primary key,
  parent_block_document_id uuid not null references block_document(id) on delete cascade,
  reference_block_document_id uuid not null references block_document(id) on delete cascade,
  name text collate "C" not null
);

-- One row or none.
create table default_result_storage (
  number bigint not null primary key check (number = 1),
  block_document_id uuid not null references block_document(id) on delete cascade
);

-- Keys that the server made itself and has no file to keep in; the highest number is the one in use.
create table encryption_key (
  number bigint not null primary key,
  created bigint not null,
  secret text collate "C" not null
);

create unique index block_type_by_slug on block_type (slug);
create index block_type_by_name on block_type (name, id);
create unique index block_schema_by_checksum on block_schema (checksum, version);
create index block_schema_by_type on block_schema (block_type_id, created desc);
create index block_schema_by_created on block_schema (created desc, id desc);
create unique index block_schema_reference_by_parent on block_schema_reference (parent_block_schema_id, name, reference_block_schema_id);
create index block_schema_reference_by_reference on block_schema_reference (reference_block_schema_id);
create unique index block_document_by_type_and_name on block_document (block_type_id, name);
create index block_document_by_name on block_document (name, id);
create index block_document_by_type_name on block_document (block_type_name, name, id);
create index block_document_named on block_document (is_anonymous, name, id);
create index block_document_by_schema on block_document (block_schema_id);
create unique index block_document_reference_by_parent on block_document_reference (parent_block_document_id, name);
create index default_result_storage_by_document on default_result_storage (block_document_id);
create index block_document_reference_by_reference on block_document_reference (reference_block_document_id);

create index block_schema_by_capability on block_schema using gin (capabilities);
