import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)
const folder = mkdtempSync(join(tmpdir(), 'millrace-variable-'))
afterAll(() => rmSync(folder, { recursive: true }))

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const withInput = (stdin: string, ...argv: string[]) => runCli(['--server', server.url, ...argv], { stdin })

describe('variable set', () => {
  test('creates and changes a variable', async () => {
    expect(await millrace('variable', 'set', 'region', 'eu-west-1', '--tag', 'prod', 'eu')).toBe('Created variable "region".')
    expect(await millrace('variable', 'set', 'region', 'eu-west-2')).toBe('Changed variable "region".')
    expect(await server.json('variable', 'get', 'region')).toMatchObject({ name: 'region', value: 'eu-west-2', tags: ['prod', 'eu'] })
    expect(await server.json('variable', 'set', 'limits', '{"rows": [1.0, 9007199254740993]}')).toMatchObject({ name: 'limits' })
    expect((await server.millrace('variable', 'get', 'limits')).stdout).toBe('{"rows":[1.0,9007199254740993]}\n')
  })

  test('reads a file or stdin without the last line break', async () => {
    writeFileSync(join(folder, 'value.json'), '{"a": null}\n')
    expect(await server.json('variable', 'set', 'from_file', '--file', join(folder, 'value.json'))).toMatchObject({ value: { a: null } })
    expect(screen(await withInput('two\nlines\n', 'variable', 'set', 'from_stdin', '--file', '-'))).toBe('Created variable "from_stdin".')
    expect((await server.millrace('variable', 'get', 'from_stdin')).stdout).toBe('two\nlines\n')
  })

  test('rejects names, values and files', async () => {
    expect(await millrace('variable', 'set', 'Region', '1')).toMatchInlineSnapshot(`
      "exit code 1
      Error: name: String should match pattern '^[a-z0-9_-]*$' (request <id>)"
    `)
    expect(await millrace('variable', 'set', 'long', 'x'.repeat(5001))).toMatchInlineSnapshot(`
      "exit code 1
      Error: value: The value of a variable must be at most 5000 bytes of JSON (request <id>)"
    `)
    expect(await millrace('variable', 'set', 'region')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Give either a value or --file."
    `)
    expect(await millrace('variable', 'set', '', '1')).toMatchInlineSnapshot(`
      "exit code 2
      Error: The name of a variable cannot be empty."
    `)
    expect(await millrace('variable', 'set', 'region', '--file', '/nonexistent')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Cannot read /nonexistent (ENOENT)"
    `)
  })
})

describe('variable ls', () => {
  test('shows names, values and tags', async () => {
    expect(await millrace('variable', 'ls')).toMatchInlineSnapshot(`
      "NAME        VALUE                            TAGS      UPDATED
      from_file   {"a":null}                                 3m ago
      from_stdin  "two\\nlines"                               3m ago
      limits      {"rows":[1.0,9007199254740993]}            3m ago
      region      "eu-west-2"                      prod, eu  3m ago"
    `)
    expect(await millrace('variable', 'ls', '--tag', 'prod', '-o', 'wide')).toMatchInlineSnapshot(`
      "NAME    VALUE        TAGS      UPDATED  ID
      region  "eu-west-2"  prod, eu  3m ago   <id>"
    `)
    expect(await millrace('variable', 'ls', '--name', 'from', '--limit', '1')).toMatchInlineSnapshot(`
      "NAME       VALUE       TAGS  UPDATED
      from_file  {"a":null}        3m ago
      There are more than 1. Use --limit to see them."
    `)
    expect(await millrace('variable', 'ls', '--name', 'none')).toBe('No variables.')
  })

  test('fits a narrow terminal', async () => {
    expect(screen(await runCli(['--server', server.url, 'variable', 'ls'], { columns: 48 }))).toMatchInlineSnapshot(`
      "NAME        VALUE              TAGS      UPDATED
      from_file   {"a":null}                   3m ago
      from_stdin  "two\\nlines"                 3m ago
      limits      {"rows":[1.0,900…            3m ago
      region      "eu-west-2"        prod, eu  3m ago"
    `)
  })

  test('prints the objects of the API as JSON and YAML', async () => {
    expect(await server.json('variable', 'ls')).toEqual((await server.app.call('POST', '/variables/filter', {})).body)
    expect(await millrace('variable', 'ls', '--tag', 'prod', '-o', 'yaml')).toMatchInlineSnapshot(`
      "- id: <id>
        created: <time>
        updated: <time>
        name: region
        value: eu-west-2
        tags:
          - prod
          - eu"
    `)
  })
})

describe('variable get', () => {
  test('prints text to a terminal without its control characters', async () => {
    await server.app.call('POST', '/variables/', { name: 'bell', value: 'a\u0007\u001b[2J' })
    expect((await server.millrace('variable', 'get', 'bell')).stdout).toBe('a\u0007\u001b[2J\n')
    expect((await runCli(['--server', server.url, 'variable', 'get', 'bell'], { columns: 80 })).stdout).toBe('a\ufffd\ufffd[2J\n')
  })

  test('finds a variable by id', async () => {
    const { id } = await server.json('variable', 'get', 'region')
    expect(await millrace('variable', 'inspect', id)).toBe('eu-west-2')
  })
})

describe('variable delete', () => {
  test('needs --yes without a terminal', async () => {
    expect(await millrace('variable', 'delete', 'region')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete variable "region"? Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('variable', 'delete', 'region', '--yes')).toBe('Deleted variable "region".')
    expect(await server.json('variable', 'unset', 'limits', '-y')).toMatchObject({ name: 'limits' })
  })
})

test.each([['get'], ['delete', '--yes']])('variable %s of an unknown variable ends with exit code 25', async (command, ...options) => {
  expect(await millrace('variable', command, 'none', ...options)).toBe(
    'exit code 25\nError: Variable "none" not found. `millrace variable ls` shows what there is.',
  )
})
