import { describe, expect, test } from 'vitest'
import { databaseTarget, databaseUrlProblems, normaliseDatabaseUrl, normalisePostgresUrl } from './database-url.ts'

const normalise = (url: string) => normaliseDatabaseUrl(url, '/home/ann')

describe('normaliseDatabaseUrl', () => {
  test.each([
    ['sqlite:~/.millrace/millrace.db', 'sqlite:/home/ann/.millrace/millrace.db'],
    ['sqlite:data/m.db', 'sqlite:data/m.db'],
    ['sqlite:/data/m.db', 'sqlite:/data/m.db'],
    ['sqlite:////data/m.db', 'sqlite:/data/m.db'],
    ['sqlite::memory:', 'sqlite::memory:'],
    ['sqlite:a b?c.db', 'sqlite:a b?c.db'],
    ['SQLite:x.db', 'sqlite:x.db'],
    ['sqlite+aiosqlite:////home/bob/.prefect/prefect.db', 'sqlite:/home/bob/.prefect/prefect.db'],
    ['sqlite+aiosqlite:///prefect.db?timeout=30', 'sqlite:prefect.db'],
    ['sqlite+aiosqlite:///my%20runs.db', 'sqlite:my runs.db'],
    ['sqlite+aiosqlite:///file::memory:?cache=shared&uri=true&check_same_thread=false', 'sqlite::memory:'],
    ['sqlite+aiosqlite:///:memory:', 'sqlite::memory:'],
    ['postgres://ann:pw@db:5433/m', 'postgres://ann:pw@db:5433/m'],
    ['postgresql://ann@db/m?sslmode=require', 'postgres://ann@db/m?sslmode=require'],
    ['postgresql+asyncpg://ann:p%40w@db:5432/m', 'postgres://ann:p%40w@db:5432/m'],
    ['postgresql+asyncpg://db/m?ssl=require', 'postgres://db/m?sslmode=require&uselibpqcompat=true'],
    ['postgres:///m?host=/run/postgresql', 'postgres:///m?host=/run/postgresql'],
  ])('reads %s', (url, expected) => {
    expect(normalise(url)).toBe(expected)
    expect(normalise(expected)).toBe(expected)
  })

  test.each([
    ['sqlite:///data/m.db', /use sqlite:\/data\/m\.db for the absolute path or sqlite:data\/m\.db/],
    ['sqlite://host/m.db', /cannot contain a host/],
    ['sqlite:', /path of the file is missing/],
    ['postgres:db/m', /must begin with `postgres:\/\/`/],
    ['postgres://ann:p@ss#word@db:x/m', /not a valid URL/],
    ['mysql://db/m', /must begin with `sqlite:` or/],
    ['millrace.db', /must begin with `sqlite:` or/],
  ])('rejects %s', (url, reason) => {
    expect(() => normalise(url)).toThrow(reason)
  })
})

test('returns the file or the server of a URL', () => {
  expect(databaseTarget('sqlite:/data/m.db')).toEqual({ dialect: 'sqlite', path: '/data/m.db' })
  expect(databaseTarget('sqlite::memory:')).toEqual({ dialect: 'sqlite', path: ':memory:' })
  expect(databaseTarget('postgres://db/m')).toEqual({ dialect: 'postgres', url: 'postgres://db/m' })
})

test('rejects URLs of a replica or of PostgreSQL itself beside SQLite', () => {
  const none = { direct_url: '', read_url: '' }
  expect(databaseUrlProblems({ url: 'sqlite:a.db', ...none })).toEqual([])
  expect(databaseUrlProblems({ url: 'postgres://db/m', direct_url: 'postgres://db/m', read_url: 'postgres://db2/m' })).toEqual([])
  expect(databaseUrlProblems({ url: 'sqlite:a.db', ...none, read_url: 'postgres://db/m' })).toEqual([
    'MILLRACE_DATABASE_READ_URL needs a PostgreSQL database, but MILLRACE_DATABASE_URL is sqlite:a.db. Remove one of them.',
  ])
  expect(() => normalisePostgresUrl('sqlite:a.db', '/')).toThrow('must begin with `postgres://`')
  expect(normalisePostgresUrl('postgresql://db/m', '/')).toBe('postgres://db/m')
})
