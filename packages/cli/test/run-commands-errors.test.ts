import { describe, expect, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { cliServer, runCli } from './cli-test.ts'
import { anyId } from './seed.ts'

const server = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret' })

const commands = [
  ['flow', 'ls'],
  ['flow', 'inspect', 'etl'],
  ['flow', 'delete', 'etl', '--yes'],
  ['flow-run', 'ls'],
  ['flow-run', 'inspect', anyId],
  ['flow-run', 'logs', anyId],
  ['flow-run', 'watch', anyId],
  ['flow-run', 'cancel', anyId],
  ['flow-run', 'retry', '--flow', 'etl', '--yes'],
  ['flow-run', 'resume', anyId],
  ['flow-run', 'set-state', anyId, 'Failed'],
  ['flow-run', 'delete', anyId, '--yes'],
  ['task-run', 'ls'],
  ['task-run', 'inspect', anyId],
  ['task-run', 'logs', anyId],
  ['deployment', 'ls'],
  ['deployment', 'inspect', 'etl/prod'],
  ['deployment', 'run', 'prod'],
  ['deployment', 'pause', 'prod'],
  ['deployment', 'resume', 'prod'],
  ['deployment', 'delete', 'prod', '--yes'],
  ['deployment', 'schedule', 'ls', 'prod'],
  ['deployment', 'schedule', 'create', 'prod', '--interval', '1h'],
  ['deployment', 'schedule', 'pause', 'prod'],
  ['deployment', 'schedule', 'resume', 'prod'],
  ['deployment', 'schedule', 'delete', 'prod', '--yes'],
  ['log', 'ls'],
  ['log', 'tail'],
  ['artifact', 'ls'],
  ['artifact', 'inspect', 'report'],
  ['artifact', 'delete', 'report', '--yes'],
]

describe('the commands of runs', () => {
  test('report wrong credentials', async () => {
    for (const argv of commands) {
      expect(await server.millrace(...argv), argv.join(' ')).toEqual({
        code: 27,
        stdout: '',
        stderr: `Error: ${server.url} rejected the credentials: Missing or wrong credentials. Set MILLRACE_API_AUTH_STRING or MILLRACE_API_KEY, or use a profile.\n`,
      })
    }
    const env = { MILLRACE_API_AUTH_STRING: 'admin:secret' }
    expect(await runCli(['--server', server.url, 'flow-run', 'ls', '-o', 'json'], { env })).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })

  test('report that there is no server', async () => {
    const url = `http://127.0.0.1:${await freePort()}/api`
    const results = await Promise.all(commands.map(async (argv) => ({ argv, result: await runCli(['--server', url, ...argv]) })))
    for (const { argv, result } of results) {
      expect(result, argv.join(' ')).toEqual({
        code: 24,
        stdout: '',
        stderr: `Error: Cannot reach ${url} (ECONNREFUSED). Start a server with \`millrace server start\`, or name another one with --server or MILLRACE_API_URL.\n`,
      })
    }
  })
})
