import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { newFolder } from '../../server/test/databases.ts'
import { freePort } from '../../server/test/free-port.ts'
import { cliServer, runCli } from './cli-test.ts'

const server = cliServer()

test('prints JSON formatted, with or without /api in the path', async () => {
  for (const path of ['/version', 'version', '/api/version', 'api/version']) {
    expect(await server.millrace('api', 'get', path)).toEqual({ code: 0, stdout: '"0.8.4"\n', stderr: '' })
  }
})

test('sends a body from the command line, a file and stdin, with its numbers as they are', async () => {
  const file = join(newFolder(), 'body.json')
  const body = (name: string) => `{"name": "${name}", "value": {"n": 12345678901234567890, "f": 1.0}}`
  writeFileSync(file, body('from_file'))
  expect((await server.millrace('api', 'POST', '/variables/', '--data', body('inline'))).stdout).toContain('"n": 12345678901234567890,\n    "f": 1.0')
  expect((await server.millrace('api', 'POST', '/variables/', '-d', `@${file}`)).code).toBe(0)
  expect((await runCli(['--server', server.url, 'api', 'POST', '/variables/', '-d', '-'], { stdin: body('from_stdin') })).code).toBe(0)
  const names = (await server.json('api', 'POST', '/variables/filter', '-d', '{}')).map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['from_file', 'from_stdin', 'inline'])
})

test('prints YAML with -o yaml, and bodies that are not JSON as they are', async () => {
  expect(parse((await server.millrace('api', 'GET', '/admin/settings', '-o', 'yaml')).stdout)).toHaveProperty('version')
  expect((await server.millrace('api', 'GET', '/ready')).stdout).toBe('{\n  "message": "OK"\n}\n')
  const run = await server.app
    .call('POST', '/api/flows/', { name: 'f' })
    .then(({ body }) => server.app.call('POST', '/api/flow_runs/', { flow_id: body.id }))
  expect((await server.millrace('api', 'GET', `/flow_runs/${run.body.id}/logs/download`)).stdout).toMatch(/^timestamp,level/)
})

test('sends query parameters and headers', async () => {
  expect(await server.json('api', 'GET', '/csrf-token', '--query', 'client=a&b', '-H', 'X-Test: 1')).toMatchObject({})
  const { code, stderr } = await server.millrace('api', 'GET', '/version', '-H', 'X-PREFECT-API-VERSION: 0.1.0')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^HTTP 4/) })
})

test('prints the body of an error to stdout and ends with the code of its status', async () => {
  const missing = await server.millrace('api', 'GET', '/flows/00000000-0000-4000-8000-000000000000')
  expect(missing).toMatchObject({ code: 25, stderr: 'HTTP 404\n' })
  expect(JSON.parse(missing.stdout)).toHaveProperty('detail')
  expect(await server.millrace('api', 'POST', '/flows/', '-d', '{}')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"detail"'),
    stderr: 'HTTP 422\n',
  })
})

test('prints nothing for an empty response', async () => {
  const { id } = await server.json('api', 'POST', '/variables/', '-d', '{"name": "gone", "value": 1}')
  expect(await server.millrace('api', 'DELETE', `/variables/${id}`)).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('rejects wrong arguments', async () => {
  for (const [argv, message] of [
    [['api', 'FETCH', '/x'], 'Use one of GET, POST, PUT, PATCH, DELETE.'],
    [['api', 'POST', '/x', '-d', '{'], '--data is not JSON'],
    [['api', 'POST', '/x', '-d', '@/nonexistent'], 'Cannot read /nonexistent (ENOENT)'],
    [['api', 'GET', '/x', '-q', 'a'], '--query: "a" is not KEY=VALUE.'],
    [['api', 'GET', '/x', '-H', 'a'], '--header: "a" is not "Name: value".'],
  ] as const) {
    expect(await server.millrace(...argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  }
  expect(await runCli(['--server', `http://127.0.0.1:${await freePort()}`, 'api', 'GET', '/version'])).toMatchObject({ code: 24, stdout: '' })
})

describe('a server with a password and CSRF protection', () => {
  const guarded = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret', MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' })

  test('needs credentials', async () => {
    expect(await guarded.millrace('api', 'GET', '/version')).toMatchObject({
      code: 27,
      stdout: expect.stringContaining('detail'),
      stderr: 'HTTP 401\n',
    })
    const env = { MILLRACE_API_AUTH_STRING: 'admin:secret' }
    const created = await runCli(['--server', guarded.url, 'api', 'POST', '/variables/', '-d', '{"name": "a", "value": 1}'], { env })
    expect(created).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'a' })
  })
})
