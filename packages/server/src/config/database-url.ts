import { join, resolve } from 'node:path'

/**
 * Returns a database URL as `sqlite:PATH`, `sqlite::memory:` or `postgres://…`, the only forms that the rest of the server knows. Also reads the
 * SQLAlchemy URLs of existing installations, with the driver in the scheme.
 */
export function normaliseDatabaseUrl(text: string, home: string): string {
  const [, scheme = '', driver = '', rest = ''] = /^([a-z]+)(\+[a-z0-9]+)?:(.*)$/i.exec(text) ?? []
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return `sqlite:${withHome(driver ? sqlalchemyPath(rest) : plainPath(rest), home)}`
    case 'postgres':
    case 'postgresql':
      return postgresUrl(rest, driver)
    default:
      throw new Error('must begin with `sqlite:` or `postgres://`')
  }
}

/** The same for a URL that can only be one of PostgreSQL. */
export function normalisePostgresUrl(text: string, home: string): string {
  const url = normaliseDatabaseUrl(text, home)
  if (!url.startsWith('postgres:')) throw new Error('must begin with `postgres://`')
  return url
}

interface DatabaseUrls {
  readonly url: string
  readonly direct_url: string
  readonly read_url: string
}

/** Problems with URLs that have no meaning beside a SQLite database. */
export function databaseUrlProblems({ url, direct_url, read_url }: DatabaseUrls): string[] {
  if (!url.startsWith('sqlite:')) return []
  const given = { MILLRACE_DATABASE_DIRECT_URL: direct_url, MILLRACE_DATABASE_READ_URL: read_url }
  return Object.entries(given).flatMap(([name, value]) =>
    value === '' ? [] : [`${name} needs a PostgreSQL database, but MILLRACE_DATABASE_URL is ${url}. Remove one of them.`],
  )
}

/** The file or server of a normalised URL. */
export type DatabaseTarget = { dialect: 'sqlite'; path: string } | { dialect: 'postgres'; url: string }

export function databaseTarget(url: string): DatabaseTarget {
  return url.startsWith('sqlite:') ? { dialect: 'sqlite', path: url.slice('sqlite:'.length) } : { dialect: 'postgres', url }
}

/** The key file next to a SQLite database, for servers without `server.encryption_key`. */
export const keyFileOf = (databasePath: string): string => `${resolve(databasePath)}.key`

function plainPath(rest: string): string {
  // Some tools read `sqlite:///data/x.db` as a relative path and some as an absolute one; the wrong guess opens an empty database.
  if (/^\/\/\/[^/]/.test(rest))
    throw new Error(`ambiguous path; use sqlite:${rest.slice(2)} for the absolute path or sqlite:${rest.slice(3)} for the relative path`)
  if (/^\/\/[^/]/.test(rest)) throw new Error('a SQLite URL cannot contain a host; use `sqlite:PATH`')
  if (rest === '') throw new Error('the path of the file is missing')
  return rest.replace(/^\/+/, '/')
}

/** SQLAlchemy writes `///relative`, `////absolute` and several forms of memory. Its options do not apply here. */
function sqlalchemyPath(rest: string): string {
  const path = rest.replace(/^\/\/\//, '').replace(/\?.*$/, '')
  return path === '' || path === 'file::memory:' ? ':memory:' : decodeURIComponent(path)
}

const withHome = (path: string, home: string) => (path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path)

function postgresUrl(rest: string, driver: string): string {
  if (!rest.startsWith('//')) throw new Error('must begin with `postgres://`')
  const url = URL.canParse(`postgres:${rest}`) ? new URL(`postgres:${rest}`) : undefined
  // An unescaped `#` would silently cut off the rest of the URL.
  if (url?.hash !== '') throw new Error('not a valid URL; write `@`, `/` and `#` in a password as %40, %2F and %23')
  // asyncpg's `ssl` follows libpq: `require` encrypts without checking the certificate.
  const ssl = driver ? url.searchParams.get('ssl') : null
  if (ssl !== null) {
    url.searchParams.delete('ssl')
    url.searchParams.set('sslmode', ssl === 'true' ? 'require' : ssl)
    url.searchParams.set('uselibpqcompat', 'true')
  }
  return url.href
}
