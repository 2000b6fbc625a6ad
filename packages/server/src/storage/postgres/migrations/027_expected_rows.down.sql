drop function millrace_expect_rows;
