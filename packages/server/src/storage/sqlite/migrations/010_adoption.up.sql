-- 010_adoption · breaking: no
-- What was taken over from another installation, and how far the copy has come.

create table adoption (
  number integer not null primary key check (number = 1),
  source text not null,
  revision text not null,
  started integer not null,
  finished integer,
  kept_until integer
);

create table adoption_step (
  name text not null primary key,
  last_key text,
  copied integer not null,
  done integer not null
);
