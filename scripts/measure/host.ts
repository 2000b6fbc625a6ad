import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { version } from '../../packages/server/src/version.ts'
import { PostgresMonitor } from '../../packages/server/test/postgres/activity.ts'
import { type Postgres, startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { repositoryRoot } from '../repository.ts'

/** What the subjects of a measurement need from this machine: a folder, a PostgreSQL server, and the Python of the reference. */
export class BenchHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  readonly #python: string | undefined
  readonly #before: string | undefined
  readonly #databases = new Map<string, Promise<string>>()
  #postgres: Promise<Postgres> | undefined
  #isPostgresUp: Postgres | undefined

  constructor({ reference, before }: { readonly reference?: string | undefined; readonly before?: string | undefined } = {}) {
    this.#python = reference
    this.#before = before === undefined ? undefined : resolve(before)
  }

  get hasReference(): boolean {
    return this.#python !== undefined
  }

  get python(): string {
    if (this.#python === undefined) throw new Error('The reference needs --reference PATH_TO_PYTHON')
    return this.#python
  }

  /** Another checkout of Millrace. */
  get before(): string {
    if (this.#before === undefined) throw new Error('The version before needs --before FOLDER')
    return this.#before
  }

  /** With fsync, as in production. The size of its memory is that of a small database server. */
  async postgres(): Promise<Postgres> {
    this.#postgres ??= startPostgres({ durable: true, settings: { shared_buffers: '512MB', max_wal_size: '4GB' } })
    this.#isPostgresUp = await this.#postgres
    return this.#isPostgresUp
  }

  /** Creates a database, or returns the one that an earlier round created. */
  createDatabase(name: string): Promise<string> {
    const url = this.#databases.get(name) ?? this.postgres().then((postgres) => postgres.createDatabase(name))
    this.#databases.set(name, url)
    return url
  }

  databaseUrl(name: string): string {
    if (!this.#isPostgresUp) throw new Error('PostgreSQL is not started')
    return this.#isPostgresUp.url(name)
  }

  /** Versions of everything that was started. */
  async versions(): Promise<Record<string, string>> {
    const found: Record<string, string> = { millrace: version, commit: commitOf(repositoryRoot) }
    if (this.#before !== undefined) found.before = commitOf(this.#before)
    if (this.#isPostgresUp) {
      const monitor = await new PostgresMonitor(this.#isPostgresUp.adminUrl).connect()
      found.postgres = await monitor.version()
      await monitor.close()
    }
    if (this.#python !== undefined) {
      const program = 'import importlib.metadata as m; print(m.version("prefect"))'
      found.reference = execFileSync(this.#python, ['-c', program], { encoding: 'utf8' }).trim()
    }
    return found
  }

  async close(): Promise<void> {
    await this.#isPostgresUp?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Short hash of the measured commit, marked when files differ from it. */
function commitOf(checkout: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', cwd: checkout }).trim()
  // Without the results themselves, which an earlier section may have written.
  const changes = git('status', '--porcelain', '--untracked-files=no', '--', 'packages', 'scripts')
  return `${git('rev-parse', '--short=10', 'HEAD')}${changes === '' ? '' : ' with changes'}`
}
