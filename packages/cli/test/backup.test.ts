import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { emptyPostgres, migratedPostgres, migratedSqlite, newFolder } from '../../server/test/databases.ts'
import { startApp } from '../../server/test/setup.ts'
import { cliServer, runCli } from './cli-test.ts'

const modeOf = (file: string) => statSync(file).mode & 0o777

const pathOf = (url: string) => url.slice('sqlite:'.length)

const json = async (argv: readonly string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runCli([...argv, '-o', 'json'], { env })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function createSecret(app: Awaited<ReturnType<typeof startApp>>): Promise<void> {
  const type = await app.call('POST', '/api/block_types/', { name: 'Vault', slug: 'vault' })
  const fields = { title: 'Vault', type: 'object', properties: { token: { type: 'string' } }, secret_fields: ['token'], block_schema_references: {} }
  const schema = await app.call('POST', '/api/block_schemas/', { block_type_id: type.body.id, fields })
  await app.call('POST', '/api/block_documents/', {
    name: 'mine',
    block_type_id: type.body.id,
    block_schema_id: schema.body.id,
    data: { token: 'hunter2' },
  })
}

describe('backup of a running server', () => {
  const server = cliServer()

  test('saves and checks everything that was acknowledged, with the key, for the owner only', async () => {
    for (const name of ['a', 'b', 'c']) await server.app.call('POST', '/api/flows/', { name })
    await createSecret(server.app)
    const dir = join(newFolder(), 'deep', 'backups')
    const saved = await json(['backup', '--database', server.databaseUrl, '--dir', dir, '--check'])
    expect(saved).toMatchObject({ counts: { flow: 3, block_document: 1 }, pending: [], removed: [], warnings: [], key_ids: [expect.any(String)] })
    expect(saved.file).toMatch(/\/test-\d{8}T\d{6}Z\.db$/)
    expect(saved.key_file).toBe(`${saved.file}.key`)
    expect([modeOf(saved.file), modeOf(saved.key_file), modeOf(dir)]).toEqual([0o600, 0o600, 0o700])
    expect(readdirSync(dir).sort()).toEqual([saved.file, saved.key_file].map((path) => path.slice(dir.length + 1)).sort())
    const text = await runCli(['backup', '--database', server.databaseUrl, '--file', join(dir, 'x.db')])
    expect(text.stdout).toMatch(
      /^Saved \S+ to \S+x\.db \(\S+ [kM]B\) in \d+s\.\nThe copy was checked: migration \S+, 0 flow runs, 0 task runs\.\nThe encryption key is in \S+x\.db\.key\.\n$/,
    )
  })

  test('keeps the newest backups of this database only', async () => {
    const dir = newFolder()
    const name = (day: string) => `test-202601${day}T000000Z.db`
    for (const day of ['01', '02', '03']) for (const file of [name(day), `${name(day)}.key`]) writeFileSync(join(dir, file), '')
    for (const file of ['other-20260101T000000Z.db', 'test.db', 'test-20260104T000000Z.db.999999999.tmp']) writeFileSync(join(dir, file), '')
    const { removed, file } = await json(['backup', '--database', server.databaseUrl, '--dir', dir, '--keep', '2', '--no-key', '--compress'])
    expect(removed).toEqual([join(dir, name('02')), join(dir, name('01'))])
    expect(readdirSync(dir).sort()).toEqual(
      [file.slice(dir.length + 1), name('03'), `${name('03')}.key`, 'other-20260101T000000Z.db', 'test.db'].sort(),
    )
    expect(file).toMatch(/\.db\.zst$/)
  })

  test('warns about a key that is not in the backup', async () => {
    const argv = ['backup', '--database', server.databaseUrl, '--no-key']
    expect((await runCli([...argv, '--file', join(newFolder(), 'x.db')])).stderr).toContain('Warning: The block documents need the key file ')
    const missing = await json(['backup', '--database', server.databaseUrl, '--file', join(newFolder(), 'x.db'), '--no-key'], {
      MILLRACE_SERVER_ENCRYPTION_KEY: 'another key of many characters',
    })
    expect(missing.warnings).toHaveLength(1)
  })

  test('does not replace files and rejects what cannot be saved', async () => {
    const file = join(newFolder(), 'x.db')
    writeFileSync(file, 'mine')
    const refused = async (...argv: string[]) => {
      const { code, stderr } = await runCli(['backup', '--database', server.databaseUrl, ...argv])
      expect(code).not.toBe(0)
      return stderr
    }
    expect(await refused('--file', file)).toContain('exists already')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await refused('--file', join(file, 'y.db'))).toContain('a file is in the place of its folder')
    expect(await refused('--file', file, '--keep', '3')).toContain('--keep needs a folder')
    expect(await refused('--file', file, '--dir', '/tmp')).toContain('either --file or --dir')
    expect((await runCli(['backup', '--database', `sqlite:${file}-none`])).stderr).toContain('There is no database file')
    expect((await runCli(['backup', '--database', 'sqlite::memory:'])).stderr).toContain('A database in memory')
    expect(readdirSync(dirname(file))).toEqual(['x.db'])
  })

  test('restore refuses the database while a server uses it', async () => {
    const { file } = await json(['backup', '--database', server.databaseUrl, '--file', join(newFolder(), 'x.db')])
    expect(await runCli(['restore', file, '--database', server.databaseUrl, '--yes'])).toMatchObject({ code: 21 })
    expect(await json(['restore', file, '--database', server.databaseUrl, '--check'])).toMatchObject({ previous: null, counts: { flow: 3 } })
    expect(readdirSync(dirname(pathOf(server.databaseUrl))).filter((name) => /restore/.test(name))).toEqual([])
  })
})

describe('restore', () => {
  /** A database with a flow and a secret, its backup, and one more flow after it. */
  async function savedDatabase(...flags: string[]) {
    const { url, drop } = await migratedSqlite()
    const first = await startApp(url)
    await first.call('POST', '/api/flows/', { name: 'before' })
    await createSecret(first)
    await first.close()
    const { file } = await json(['backup', '--database', url, '--dir', newFolder(), ...flags])
    const second = await startApp(url)
    await second.call('POST', '/api/flows/', { name: 'after' })
    await second.close()
    return { url, file, path: pathOf(url), drop }
  }

  const flowNames = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true })
    const names = database.prepare('select name from flow order by name').all()
    database.close()
    return names.map(({ name }) => name)
  }

  for (const flags of [[], ['--compress']]) {
    test(`brings back the saved state and keeps the former one ${flags.join('')}`, async () => {
      const { url, file, path, drop } = await savedDatabase(...flags)
      const { previous } = await json(['restore', file, '--database', url, '--yes'])
      expect(previous).toMatch(/\/test\.db\.before-restore-\d{8}T\d{6}Z$/)
      expect(flowNames(path)).toEqual(['before'])
      expect(flowNames(previous)).toEqual(['after', 'before'])
      expect(modeOf(path)).toBe(0o600)
      const app = await startApp(url)
      const documents = await app.call('POST', '/api/block_documents/filter', { include_secrets: true })
      expect(documents.body).toMatchObject([{ data: { token: 'hunter2' } }])
      await app.close()
      await drop()
    })
  }

  test('creates a database on a new machine, with its key', async () => {
    const { file, drop } = await savedDatabase()
    const url = `sqlite:${join(newFolder(), 'new', 'm.db')}`
    expect(await json(['restore', file, '--database', url, '--yes'])).toMatchObject({ previous: null })
    expect(existsSync(`${pathOf(url)}.key`)).toBe(true)
    const app = await startApp(url)
    expect((await app.call('POST', '/api/block_documents/filter', { include_secrets: true })).body).toMatchObject([{ data: { token: 'hunter2' } }])
    await app.close()
    await drop()
  })

  test('warns about a missing key', async () => {
    const { file, drop } = await savedDatabase('--no-key')
    const { stderr } = await runCli(['restore', file, '--database', `sqlite:${join(newFolder(), 'm.db')}`, '--yes'])
    expect(stderr).toMatch(/Warning: Encryption key \w+ of the block documents was not found/)
    await drop()
  })

  test('replaces a damaged database and keeps it with its log', async () => {
    const { url, file, path, drop } = await savedDatabase()
    truncateSync(path, 5000)
    writeFileSync(`${path}-wal`, 'log')
    const { previous } = await json(['restore', file, '--database', url, '--yes'])
    expect([statSync(previous).size, existsSync(`${previous}-wal`), existsSync(`${path}-wal`)]).toEqual([5000, true, false])
    expect(flowNames(path)).toEqual(['before'])
    await drop()
  })

  test('changes nothing if the backup is damaged, foreign or newer', async () => {
    const { url, file, path, drop } = await savedDatabase()
    const folder = newFolder()
    const copy = (name: string, change: (path: string) => void) => {
      const target = join(folder, name)
      copyFileSync(file, target)
      change(target)
      return target
    }
    const sql = (text: string) => (target: string) => {
      const database = new DatabaseSync(target)
      database.exec(text)
      database.close()
    }
    const damaged = copy('damaged.db', (target) => {
      const bytes = readFileSync(target)
      bytes.fill(7, 8192, 60_000)
      writeFileSync(target, bytes)
    })
    const newer = copy('newer.db', sql("insert into millrace_migration values (999, '999_later', 1, 0)"))
    const foreign = join(folder, 'foreign.db')
    sql('create table other (id integer)')(foreign)
    writeFileSync(join(folder, 'text.db'), 'text'.repeat(1000))
    writeFileSync(join(folder, 'text.db.zst'), 'text'.repeat(1000))
    mkdirSync(join(folder, 'empty'))
    for (const [backup, message] of [
      [damaged, /is damaged/],
      [newer, /has migration 999_later, which Millrace \S+ does not know\. Restore it with the version that made it/],
      [foreign, /belongs to another program/],
      [join(folder, 'text.db'), /text\.db is not a SQLite database/],
      [join(folder, 'text.db.zst'), /text\.db\.zst cannot be decompressed/],
      [join(folder, 'absent.db'), /There is no backup/],
      [path, /is the database itself/],
    ] as const) {
      const { code, stderr } = await runCli(['restore', backup, '--database', url, '--yes'])
      expect(stderr).toMatch(message)
      expect(code).not.toBe(0)
    }
    expect(flowNames(path)).toEqual(['after', 'before'])
    expect(readdirSync(dirname(path)).filter((name) => /restore|tmp/.test(name))).toEqual([])
    await drop()
  })

  test('accepts an older schema, which the server migrates', async () => {
    const { url, file, drop } = await savedDatabase()
    const database = new DatabaseSync(file)
    database.exec('delete from millrace_migration where number = 18')
    database.close()
    const { stdout } = await runCli(['restore', file, '--database', url, '--yes'])
    expect(stdout).toContain('The server will apply 1 migrations when it starts.')
    const app = await startApp(url, { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
    expect((await app.call('POST', '/api/flows/filter', {})).body).toHaveLength(1)
    await app.close()
    await drop()
  })

  test('asks before it replaces a database', async () => {
    const { url, file, path, drop } = await savedDatabase()
    expect((await runCli(['restore', file, '--database', url])).stderr).toContain('Confirm with --yes')
    expect(flowNames(path)).toEqual(['after', 'before'])
    await drop()
  })
})

describe('PostgreSQL', () => {
  /** Programs that behave like those of PostgreSQL, for machines without them. */
  function fakeTools(version: string): string {
    const folder = newFolder('bin')
    const script = (name: string, body: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n[ "$1" = --version ] && echo "${name} (PostgreSQL) ${version}" && exit 0\n${body}\n`, {
        mode: 0o755,
      })
    script('pg_dump', 'for a; do case "$a" in --file=*) echo "$@" "$PGPASSWORD" > "$(echo "$a" | cut -c8-)";; esac; done')
    script('pg_restore', 'echo "1; 1 1 TABLE public millrace_migration x"; echo "$@" >> "$(dirname "$0")/calls"')
    return folder
  }

  test('is saved by pg_dump, without the password on its command line', async () => {
    const { url, drop } = await migratedPostgres()
    const tools = fakeTools('99.1')
    const env = { PATH: `${tools}:/usr/bin:/bin` }
    const { password } = new URL(url)
    expect(password).not.toBe('')
    const file = join(newFolder(), 'x.dump')
    const saved = await json(['backup', '--database', url, '--file', file], env)
    expect(saved).toMatchObject({ file, pg_dump: 99, migration: expect.stringMatching(/^\d{3}_/) })
    expect(modeOf(file)).toBe(0o600)
    const given = readFileSync(file, 'utf8')
    expect(given).toMatch(/^--format=custom --no-owner /)
    // The program gets the password in its environment, which the script writes last.
    expect(given.trim().split(' ').at(-1)).toBe(decodeURIComponent(password))
    expect(given).not.toContain(`:${password}@`)

    const empty = await emptyPostgres()
    expect((await runCli(['restore', file, '--database', url], { env })).stderr).toMatch(
      /has \d+ tables\. Stop the servers, create an empty database/,
    )
    expect(await runCli(['restore', file, '--database', empty.url], { env })).toMatchObject({ code: 0 })
    expect(readFileSync(join(tools, 'calls'), 'utf8')).toContain('--single-transaction --exit-on-error')
    await drop()
    await empty.drop()
  })

  test('needs a pg_dump of its version', async () => {
    const { url, drop } = await migratedPostgres()
    const attempt = async (path: string) => (await runCli(['backup', '--database', url, '--dir', newFolder()], { env: { PATH: path } })).stderr
    expect(await attempt(newFolder())).toMatch(/pg_dump was not found\. Install the client programs of PostgreSQL \d+/)
    expect(await attempt(`${fakeTools('9.6')}:/usr/bin:/bin`)).toMatch(/pg_dump has version 9, and the server has version \d+/)
    await drop()
  })
})
