-- 010_adoption · breaking: no
-- What was taken over from another installation, and how far the copy has come.

create table adoption (
  number bigint not null primary key check (number = 1),
  source text collate "C" not null,
  revision text collate "C" not null,
  started bigint not null,
  finished bigint,
  kept_until bigint
);

create table adoption_step (
  name text collate "C" not null primary key,
  last_key text collate "C",
  copied bigint not null,
  done boolean not null
);
