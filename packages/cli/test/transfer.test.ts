import { beforeAll, expect, test } from 'vitest'
import { type CliTestServer, cliServer, runCli } from './cli-test.ts'
import { secretText, seedServer } from './transfer-seed.ts'

const source = cliServer()
const target = cliServer()

const exportOf = async (server: CliTestServer, ...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await server.millrace('export', ...argv)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
const importInto = (server: CliTestServer, stdin: string, ...argv: string[]) => runCli(['--server', server.url, 'import', '-', ...argv], { stdin })

beforeAll(() => seedServer(source.app))

test('an export into an empty server gives the same export', async () => {
  const text = await exportOf(source, '--include-secrets')
  const result = await importInto(target, text)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(await exportOf(target, '--include-secrets')).toBe(text)
  console.log(text)
  console.log(result.stdout)
  expect(text).toContain(secretText)
})
