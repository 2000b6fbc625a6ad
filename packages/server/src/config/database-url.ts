import { join, resolve } from 'node:path'

/**
 * The one spelling of a database URL that the rest of the server meets: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Also reads
 * what existing installations write, with the driver in the scheme.
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
      throw new Error('it has to begin with `sqlite:` or `postgres://`')
  }
}

/** What a normalised URL leads to. */
export type DatabaseTarget = { dialect: 'sqlite'; path: string } | { dialect: 'postgres'; url: string }

export function databaseTarget(url: string): DatabaseTarget {
  return url.startsWith('sqlite:') ? { dialect: 'sqlite', path: url.slice('sqlite:'.length) } : { dialect: 'postgres', url }
}

/** The file beside a SQLite database in which a server without `server.encryption_key` keeps its key. */
export const keyFileOf = (databasePath: string): string => `${resolve(databasePath)}.key`

function plainPath(rest: string): string {
  // Some tools read `sqlite:///data/x.db` as a relative path and some as an absolute one; the wrong guess opens an empty database.
  if (/^\/\/\/[^/]/.test(rest))
    throw new Error(`write sqlite:${rest.slice(2)} for that absolute path, or sqlite:${rest.slice(3)} for the relative one`)
  if (/^\/\/[^/]/.test(rest)) throw new Error('a SQLite database is a file of this machine, so its URL names no host')
  if (rest === '') throw new Error('it lacks the path of the file')
  return rest.replace(/^\/+/, '/')
}

/** `///relative`, `////absolute`, and several spellings of memory, each with options that mean nothing here. */
function sqlalchemyPath(rest: string): string {
  const path = rest.replace(/^\/\/\//, '').replace(/\?.*$/, '')
  return path === '' || path === 'file::memory:' ? ':memory:' : decodeURIComponent(path)
}

const withHome = (path: string, home: string) => (path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path)

function postgresUrl(rest: string, driver: string): string {
  if (!rest.startsWith('//')) throw new Error('it has to begin with `postgres://`')
  const url = URL.canParse(`postgres:${rest}`) ? new URL(`postgres:${rest}`) : undefined
  // An unescaped `#` would silently cut the password and everything after it.
  if (url?.hash !== '') throw new Error('it is no valid URL; `@`, `/` and `#` in a password are written as %40, %2F and %23')
  // asyncpg's `ssl` goes by libpq's rules, under which `require` encrypts and does not check the certificate.
  const ssl = driver ? url.searchParams.get('ssl') : null
  if (ssl !== null) {
    url.searchParams.delete('ssl')
    url.searchParams.set('sslmode', ssl === 'true' ? 'require' : ssl)
    url.searchParams.set('uselibpqcompat', 'true')
  }
  return url.href
}
