import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { cliServer, runCli } from './cli-test.ts'

describe('profile', () => {
  const server = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret' })

  test('keeps servers and credentials in a file of the user, and switches between them', async () => {
    const home = newFolder('home')
    const millrace = (...argv: string[]) => runCli(argv, { env: { HOME: home }, stdin: 'admin:secret\n' })
    expect(await millrace('profile', 'ls')).toMatchObject({ code: 0, stdout: '', stderr: 'No profiles. `millrace profile create` creates one.\n' })
    expect(await millrace('profile', 'create', 'local', '--url', 'http://127.0.0.1:1')).toMatchObject({
      code: 0,
      stdout: 'Saved profile "local", which is active.\n',
    })
    const created = await millrace('profile', 'create', 'test', '--url', server.url, '--auth-string-file', '-', '-o', 'json')
    expect(JSON.parse(created.stdout)).toEqual({ name: 'test', active: false, url: server.url, credentials: 'auth string' })
    const path = join(home, '.millrace', 'profiles.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8')).profiles.test.auth_string).toBe('admin:secret')

    expect(await millrace('variable', 'ls', '--profile', 'test')).toMatchObject({ code: 0, stderr: 'No variables.\n' })
    expect(await millrace('variable', 'ls')).toMatchObject({ code: 24 })
    expect(await millrace('profile', 'use', 'test')).toMatchObject({ code: 0, stdout: `Profile "test" is active: ${server.url}\n`, stderr: '' })
    expect(await millrace('variable', 'ls')).toMatchObject({ code: 0 })

    const list = await millrace('profile', 'ls')
    expect(list.stdout).toMatch(/^ACTIVE +NAME +URL +CREDENTIALS\n +local +http:\/\/127.0.0.1:1\/api +none\n\* +test +\S+ +auth string\n$/)
    const inspected = await millrace('profile', 'inspect')
    expect(inspected.stdout).toMatch(/^Name +test\nActive +yes\nURL +\S+\nCredentials +auth string\n$/)
    expect(JSON.parse((await millrace('profile', 'inspect', 'local', '-o', 'json')).stdout)).toMatchObject({
      name: 'local',
      active: false,
      credentials: 'none',
    })
    for (const { stdout } of [created, list, inspected]) expect(stdout).not.toContain('secret')

    expect(await millrace('profile', 'delete', 'test')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Delete profile "test"? Confirm with --yes'),
    })
    expect(await millrace('profile', 'delete', 'test', '--yes')).toMatchObject({ code: 0, stdout: 'Deleted profile "test".\n' })
    expect(await millrace('profile', 'inspect')).toMatchObject({ code: 2, stderr: expect.stringContaining('No profile is active.') })
  })

  test('rejects what it cannot use', async () => {
    const home = newFolder('home')
    const millrace = (...argv: string[]) => runCli(argv, { env: { HOME: home }, stdin: 'nocolon' })
    const create = ['profile', 'create', 'x', '--url', 'http://x']
    for (const [argv, code, message] of [
      [['profile', 'use', 'x'], 2, 'No profile "x".'],
      [['profile', 'delete', 'x', '--yes'], 2, 'No profile "x".'],
      [['profile', 'inspect', 'constructor'], 2, 'No profile "constructor".'],
      [['profile', 'create', 'a b', '--url', 'http://x'], 2, '"a b" is not a profile name.'],
      [['profile', 'create', 'x', '--url', 'ftp://x'], 2, '--url: "ftp://x" is not a URL'],
      [['profile', 'create', 'x'], 2, "required option '--url <url>' not specified"],
      [[...create, '--auth-string-file', '-'], 2, 'the content is not user:password'],
      [[...create, '--auth-string-file', '-', '--key-file', '-'], 2, 'Give either --auth-string-file or --key-file.'],
      [[...create, '--key-file', '/nonexistent'], 2, 'Cannot read /nonexistent (ENOENT)'],
    ] as const) {
      expect(await millrace(...argv)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect((await millrace(...create)).code).toBe(0)
    expect(await millrace(...create)).toMatchObject({ code: 1, stderr: 'Error: Profile "x" exists. Replace it with --force.\n' })
    expect((await millrace(...create, '--force', '--key-file', '-')).code).toBe(0)
  })

  test('reports a file that is not valid', async () => {
    const home = newFolder('home')
    mkdirSync(join(home, '.millrace'))
    writeFileSync(join(home, '.millrace', 'profiles.json'), '{')
    expect(await runCli(['profile', 'ls'], { env: { HOME: home } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('profiles.json is not valid JSON.'),
    })
  })

  test('notes a variable that overrides the active profile', async () => {
    const env = { HOME: newFolder('home'), PREFECT_API_URL: 'http://x/api' }
    await runCli(['profile', 'create', 'x', '--url', 'http://x'], { env })
    expect((await runCli(['profile', 'use', 'x'], { env })).stderr).toBe('PREFECT_API_URL is set and overrides the active profile.\n')
  })
})

describe('config view', () => {
  const env = {
    MILLRACE_SERVER_PORT: '4300',
    PREFECT_SERVER_API_AUTH_STRING: 'admin:secret',
    MILLRACE_DATABASE_URL: 'postgres://user:secret@db/m',
    PREFECT_API_URL: 'http://x/api',
    MILLRACE_API_KEY: 'secret',
  }

  test('shows every setting with its value and source, without secrets', async () => {
    const { stdout } = await runCli(['config', 'view', '-o', 'json'], { env })
    expect(stdout).not.toContain('secret')
    const settings = JSON.parse(stdout)
    expect(settings.slice(0, 3)).toEqual([
      { name: 'client.url', variable: 'MILLRACE_API_URL', value: 'http://x/api', source: 'PREFECT_API_URL' },
      { name: 'client.auth_string', variable: 'MILLRACE_API_AUTH_STRING', value: null, source: 'default' },
      { name: 'client.key', variable: 'MILLRACE_API_KEY', value: '********', source: 'MILLRACE_API_KEY' },
    ])
    expect(settings).toContainEqual({ name: 'server.port', variable: 'MILLRACE_SERVER_PORT', value: 4300, source: 'MILLRACE_SERVER_PORT' })
    expect(settings).toContainEqual({ name: 'server.host', variable: 'MILLRACE_SERVER_HOST', value: '127.0.0.1', source: 'default' })
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'server.api.auth_string', value: '********', source: 'PREFECT_SERVER_API_AUTH_STRING' }),
    )
    expect(settings).toContainEqual(expect.objectContaining({ name: 'database.url', value: 'postgres://user:********@db/m' }))
  })

  test('filters by a word and by what is set', async () => {
    expect((await runCli(['config', 'view', 'logs.'], { env })).stdout).toBe(
      [
        'SETTING                     VALUE    SOURCE',
        'logs.maximum_message_bytes  1000000  default',
        'logs.maximum_per_request    20000    default',
        'logs.retention_days         90       default',
        '',
      ].join('\n'),
    )
    const changed = JSON.parse((await runCli(['config', 'view', '--changed', '-o', 'json'], { env })).stdout)
    expect(changed.map(({ name }: { name: string }) => name)).toEqual([
      'client.url',
      'client.key',
      'server.port',
      'server.api.auth_string',
      'database.url',
    ])
    expect(await runCli(['config', 'view', 'nonsense'])).toMatchObject({ code: 0, stdout: '', stderr: 'No setting has "nonsense" in its name.\n' })
  })

  test('names the flag and the profile that set the server', async () => {
    const view = async (argv: string[], home: string) =>
      JSON.parse((await runCli(['config', 'view', 'client', '-o', 'json', ...argv], { env: { HOME: home }, stdin: 'k' })).stdout)
    expect((await view(['--server', 'http://y'], '/nonexistent'))[0]).toMatchObject({ value: 'http://y/api', source: '--server' })
    const home = newFolder('home')
    await runCli(['profile', 'create', 'p', '--url', 'http://z', '--key-file', '-'], { env: { HOME: home }, stdin: 'k' })
    expect(await view([], home)).toMatchObject([
      { value: 'http://z/api', source: 'profile p' },
      { value: null },
      { value: '********', source: 'profile p' },
    ])
  })

  test('reports settings that are not valid', async () => {
    expect(await runCli(['config', 'view'], { env: { MILLRACE_SERVER_PORT: 'x' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Error: MILLRACE_SERVER_PORT: "x" is not a whole number'),
    })
  })
})
