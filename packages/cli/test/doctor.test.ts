import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../server/src/config.ts'
import { clock } from '../../server/src/doctor/checks/clock.ts'
import type { DoctorInput } from '../../server/src/doctor/finding.ts'
import { migratedPostgres, migratedSqlite, newFolder } from '../../server/test/databases.ts'
import { defects, runDefect, seedForDefects } from '../../server/test/defects.ts'
import { startApp } from '../../server/test/setup.ts'
import { type CliResult, cliServer, runCli } from './cli-test.ts'

interface Finding {
  readonly check: string
  readonly severity: string
  readonly what: string
  readonly repair: string | null
}

const examine = async (url: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await runCli(['--server', 'http://127.0.0.1:9/api', 'doctor', '--database', url, '-o', 'json', ...flags])
  if (stdout === '') throw new Error(stderr)
  const { findings, repairs } = JSON.parse(stdout) as { findings: Finding[]; repairs: { title: string; result: string }[] }
  const serious = findings.filter(({ severity, what }) => severity !== 'info' && !autovacuum.test(what))
  // Autovacuum is off on the PostgreSQL of the tests.
  return { code: findings.some(({ what }) => autovacuum.test(what)) && serious.length === 0 ? 0 : code, repairs, findings: serious }
}

const autovacuum = /^Autovacuum is off/

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`doctor (${dialect})`, () => {
    /** A database with some content, made by the clock of this machine. */
    async function seeded() {
      const database = await (dialect === 'sqlite' ? migratedSqlite() : migratedPostgres())
      const app = await startApp(database.url)
      app.clock.set(Date.now() * 1000)
      await seedForDefects(app)
      await app.close()
      return database
    }

    test('finds nothing in a sound database', async () => {
      const { url, drop } = await seeded()
      expect(await examine(url, '--full')).toEqual({ code: 0, findings: [], repairs: [] })
      const { code, stdout } = await runCli(['--server', 'http://127.0.0.1:9/api', 'doctor', '--database', url])
      expect({ code, stdout }).toEqual(
        dialect === 'sqlite'
          ? { code: 0, stdout: expect.stringMatching(/\n17 checks found nothing to do\.\n$/) }
          : {
              code: 1,
              stdout: expect.stringMatching(
                /ERROR postgres: Autovacuum is off .*\n {2}Tables .*\n {2}To do: `alter system[\s\S]*17 checks found 1 problem\.\n$/,
              ),
            },
      )
      await drop()
    })

    for (const defect of defects.filter(({ dialects }) => dialects?.includes(dialect) ?? true)) {
      test(`finds ${defect.name}${defect.isRepairable ? ' and repairs it' : ''}`, async () => {
        const { url, drop } = await seeded()
        await runDefect(url, defect)
        const flags = defect.isFull || (defect.needsFull && dialect === 'postgres') ? ['--full'] : []
        const found = await examine(url, ...flags)
        const own = found.findings.find(({ check, what }) => check === defect.check && defect.what.test(what))
        expect(own ?? found.findings).toMatchObject({ severity: defect.severity, repair: defect.isRepairable ? expect.any(String) : null })
        expect(found.code).toBe(1)
        if (defect.isRepairable) {
          const repaired = await examine(url, ...flags, '--repair', '--yes')
          expect(repaired).toMatchObject({ code: 0, findings: [] })
          expect(repaired.repairs.map(({ title }) => title)).toContain(own?.repair)
          const app = await startApp(url)
          expect((await app.call('POST', '/api/flow_runs/filter', {})).status).toBe(200)
          await app.close()
        }
        await drop()
      })
    }

    test('reports pending migrations and leaves out the checks that need them', async () => {
      const { url, drop } = await seeded()
      await runDefect(url, { make: (sql) => sql('delete from millrace_migration where number = 18') })
      expect(await examine(url)).toMatchObject({ code: 1, findings: [{ check: 'migrations', repair: null }] })
      await drop()
    })

    test('repairs only with consent', async () => {
      const { url, drop } = await seeded()
      await runDefect(url, defects[0] as (typeof defects)[0])
      const refused = await runCli(['doctor', '--database', url, '--repair'])
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Confirm with --yes') })
      expect((await examine(url)).findings).toHaveLength(1)
      await drop()
    })
  })
}

describe('doctor on SQLite files', () => {
  test('finds files that others can read and restricts them', async () => {
    const { url, drop } = await migratedSqlite()
    const file = url.slice('sqlite:'.length)
    writeFileSync(`${file}.key`, 'a key of many characters\n')
    chmodSync(file, 0o644)
    chmodSync(`${file}.key`, 0o604)
    const { findings } = await examine(url)
    const named = findings.map(({ check, severity, what }) => [check, severity, /can read (\S+)/.exec(what)?.[1]])
    expect(named).toContainEqual(['permissions', 'warning', file])
    expect(named).toContainEqual(['permissions', 'error', `${file}.key`])
    expect(await examine(url, '--repair', '--yes')).toMatchObject({ code: 0, findings: [] })
    expect([file, `${file}.key`].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600])
    await drop()
  })

  test('finds damaged pages and names the way back', async () => {
    const { url, drop } = await migratedSqlite()
    const file = url.slice('sqlite:'.length)
    const database = new DatabaseSync(file, { readOnly: true })
    const page = Number(database.prepare("select rootpage from sqlite_master where name = 'flow_by_name'").get()?.rootpage)
    database.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, (page - 1) * 4096, page * 4096)
    writeFileSync(file, bytes)
    const { findings, code } = await examine(url)
    expect(findings).toMatchObject([{ check: 'integrity', severity: 'error', what: expect.stringContaining('is damaged'), repair: null }])
    expect(code).toBe(1)
    await drop()
  })

  test('rejects a database that is absent or in memory', async () => {
    const attempt = async (url: string): Promise<CliResult> => runCli(['doctor', '--database', url])
    expect(await attempt(`sqlite:${newFolder()}/none.db`)).toMatchObject({ code: 25 })
    expect(await attempt('sqlite::memory:')).toMatchObject({ code: 2 })
  })
})

describe('doctor beside a running server', () => {
  const server = cliServer({ MILLRACE_SERVICES_BACKUP_SCHEDULE: '@daily' })

  test('checks the server of the profile and compares its clock', async () => {
    const { code, stdout } = await server.millrace('doctor', '--database', server.databaseUrl)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('17 checks found nothing to do.') })
  })

  test('checks the database of the server that --server names, and says which it is', async () => {
    const { code, stdout } = await server.millrace('doctor')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Database: ${server.databaseUrl}\n`) })
    expect(JSON.parse((await server.millrace('doctor', '-o', 'json')).stdout)).toMatchObject({ database: server.databaseUrl })
    expect(JSON.parse((await server.millrace('backup', '-o', 'json', '--dir', newFolder())).stdout)).toMatchObject({ database: server.databaseUrl })
  })

  test('does not repair the file of a running server', async () => {
    await server.app.context.commands.submit(async (tx) => {
      await tx.insert('automation_firing', [
        { id: server.app.context.newId(), automation_id: server.app.context.newId(), created: Date.now() * 1000, body: '{}' },
      ])
    })
    expect(await server.millrace('doctor', '--database', server.databaseUrl, '--repair', '--yes')).toMatchObject({ code: 21 })
  })
})

test('finds clocks that differ', async () => {
  const facts = { url: 'http://x', skewSeconds: -7.4, problem: null, backupFailure: null }
  const input = { now: 100_000_000, machineNow: 105_000_000, server: facts, config: readConfig({ HOME: '/x' }, []).config } as DoctorInput
  expect((await clock.run(input)).map(({ what }) => what)).toEqual([
    'The clock of this machine is 5.0 seconds ahead of that of the database.',
    'The clock of the server http://x is 7.4 seconds behind of that of this machine.',
  ])
})
