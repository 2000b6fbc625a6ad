-- 005_blocks
drop table encryption_key;
drop table default_result_storage;
drop table block_document_reference;
drop table block_document;
drop table block_schema_reference;
drop table block_schema;
drop table block_type;
