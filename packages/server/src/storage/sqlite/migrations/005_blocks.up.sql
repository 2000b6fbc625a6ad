-- 005_blocks · breaking: no
-- Blocks: kinds of configuration, the shapes they have, and what people filled in. The data of a document is encrypted as a whole.

create table block_type (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  slug text not null,
  logo_url text,
  documentation_url text,
  description text,
  code_example text,
  is_protected integer not null
);

create table block_schema (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  block_type_id text not null references block_type(id) on delete cascade,
  checksum text not null,
  fields text not null,
  capabilities text not null,
  version text not null
);

create table block_schema_reference (
  id text not null primary key,
  parent_block_schema_id text not null references block_schema(id) on delete cascade,
  reference_block_schema_id text not null references block_schema(id) on delete cascade,
  name text not null
);

create table block_document (
  id text not null primary key,
  created integer not null,
  updated integer not null,
  name text not null,
  block_type_id text not null references block_type(id) on delete cascade,
  block_type_name text not null,
  block_schema_id text not null references block_schema(id) on delete cascade,
  is_anonymous integer not null,
  data text not null,
  key_id text not null
);

create table block_document_reference (
  id text not null primary key,
  parent_block_document_id text not null references block_document(id) on delete cascade,
  reference_block_document_id text not null references block_document(id) on delete cascade,
  name text not null
);

-- One row or none.
create table default_result_storage (
  number integer not null primary key check (number = 1),
  block_document_id text not null references block_document(id) on delete cascade
);

-- Keys that the server made itself and has no file to keep in; the highest number is the one in use.
create table encryption_key (
  number integer not null primary key,
  created integer not null,
  secret text not null
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
