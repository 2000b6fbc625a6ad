import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { explainListenError } from '../src/main.ts'
import { runUntilExit } from './run-until-exit.ts'

test('reports a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  expect(await runUntilExit(['--port', String(port), '--database', 'sqlite::memory:'])).toEqual({
    code: 20,
    stdout: '',
    stderr: `Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or choose another port with --port.\n`,
  })
})

test('reports an address that the machine does not have', async () => {
  expect(
    await runUntilExit(['--port', '0', '--host', '192.0.2.1', '--database', 'sqlite::memory:'], {
      // Allows addresses other than loopback, which is a separate check.
      env: { MILLRACE_SERVER_API_AUTH_STRING: 'ann:secret' },
    }),
  ).toEqual({
    code: 20,
    stdout: '',
    stderr: 'This machine has no address 192.0.2.1. Choose another one with --host, such as 127.0.0.1.\n',
  })
})

test.each([
  ['EACCES', 'This user may not listen on port 80. Choose a port above 1023 with --port.'],
  ['ENOTFOUND', 'The host db.invalid has no address (ENOTFOUND). Correct --host, or use 127.0.0.1.'],
])('explains %s', (code, message) => {
  expect(explainListenError(Object.assign(new Error(), { code }), 'db.invalid', 80)).toMatchObject({ message, exitCode: 20 })
})

test('does not explain other errors', () => {
  expect(explainListenError(new Error('x'), '127.0.0.1', 4200)).toBeUndefined()
})
