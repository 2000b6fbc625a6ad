import { expect, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { runCli } from './cli-test.ts'

/** Every command for capacity, automations, events, variables and blocks that sends a request. */
const commands = [
  ...[
    'ls',
    'inspect a',
    'create a',
    'update a --limit 1',
    'pause a',
    'resume a',
    'set-limit a 1',
    'clear-limit a',
    'delete a --yes',
    'preview a',
  ].map((line) => `work-pool ${line}`),
  'work-pool get-default-base-job-template --type process',
  ...[
    'ls',
    'inspect a',
    'create a/b',
    'update a --limit 1',
    'pause a',
    'resume a',
    'set-limit a 1',
    'clear-limit a',
    'delete a --yes',
    'preview a',
  ].map((line) => `work-queue ${line}`),
  'worker ls',
  'worker delete a --yes',
  ...[
    'ls',
    'inspect a',
    'holders a',
    'create a --limit 1',
    'create tag:a --limit 1',
    'update a --limit 1',
    'enable a',
    'disable a',
    'reset a --yes',
  ].map((line) => `concurrency ${line}`),
  'concurrency delete a --yes',
  ...['ls', 'inspect a', 'status a', 'create -', 'update a -', 'pause a', 'resume a', 'delete a --yes'].map((line) => `automation ${line}`),
  ...['ls', 'tail', 'inspect 0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b11', 'emit a --resource b'].map((line) => `event ${line}`),
  ...['ls', 'get a', 'set a 1', 'delete a --yes'].map((line) => `variable ${line}`),
  ...['ls', 'inspect a', 'create -t a -n b', 'update a -f b=1', 'delete a --yes'].map((line) => `block ${line}`),
  ...['ls', 'inspect a', 'delete a --yes', 'register-builtin'].map((line) => `block type ${line}`),
]

test('every command says that the server cannot be reached', async () => {
  const server = `http://127.0.0.1:${await freePort()}/api`
  const results = await Promise.all(commands.map((line) => runCli(['--server', server, ...line.split(' ')], { stdin: '{}' })))
  const message = `Error: Cannot reach ${server} (ECONNREFUSED). Start a server with \`millrace server start\`, or name another one with --server or MILLRACE_API_URL.\n`
  expect(results.map(({ code, stdout, stderr }, index) => [commands[index], code, stdout, stderr])).toEqual(
    commands.map((line) => [line, 24, '', message]),
  )
})
