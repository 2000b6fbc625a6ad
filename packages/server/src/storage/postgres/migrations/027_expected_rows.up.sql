-- 027_expected_rows · breaking: no
-- A server that is alone writes transitions of runs that it has not read again. It says how many rows it expects to find unchanged (ADR 0047).
create function millrace_expect_rows(changed bigint, expected bigint) returns void language plpgsql as $$
begin
  if changed <> expected then
    raise exception 'Another transaction has changed % of % rows', expected - changed, expected using errcode = 'serialization_failure';
  end if;
end $$;
