import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Cli } from './cli.ts'
import type { Io } from './io.ts'

/** A terminal on which a test types. */
function createTerminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const interrupt = new AbortController()
  const io: Io = { stdin, stderr, stdout: stderr, env: {}, signal: interrupt.signal }
  const cli = new Cli(io, () => ({ output: 'table', color: false }))
  return { cli, stdin, interrupt, shown: () => String(stderr.read() ?? '') }
}

test.each(['y\n', 'YES\n', ' yes \r\n'])('continues after %j', async (answer) => {
  const { cli, stdin, shown } = createTerminal()
  const confirmed = cli.confirm('Delete "a\u001b[2J"?', undefined)
  stdin.write(answer)
  await confirmed
  expect(shown()).toContain('Delete "a�[2J"? [y/N] ')
})

test.each(['\n', 'n\n', 'yep\n'])('changes nothing after %j', async (answer) => {
  const { cli, stdin } = createTerminal()
  const confirmed = cli.confirm('Delete?', undefined)
  stdin.write(answer)
  await expect(confirmed).rejects.toMatchObject({ message: 'Nothing was changed.', exitCode: 1 })
})

test('changes nothing at the end of the input', async () => {
  const { cli, stdin } = createTerminal()
  const confirmed = cli.confirm('Delete?', undefined)
  stdin.end()
  await expect(confirmed).rejects.toMatchObject({ exitCode: 1 })
})

test('ends with 130 on Ctrl-C, typed or as a signal', async () => {
  const typed = createTerminal()
  const confirmed = typed.cli.confirm('Delete?', undefined)
  typed.stdin.write('\u0003')
  await expect(confirmed).rejects.toMatchObject({ exitCode: 130 })
  const signalled = createTerminal()
  const other = signalled.cli.confirm('Delete?', undefined)
  setImmediate(() => signalled.interrupt.abort())
  await expect(other).rejects.toMatchObject({ exitCode: 130 })
})

test('asks nothing with --yes, and needs it without a terminal', async () => {
  const { cli, stdin } = createTerminal()
  await cli.confirm('Delete?', true)
  stdin.isTTY = false
  await expect(cli.confirm('Delete?', undefined)).rejects.toMatchObject({
    message: 'Delete? Confirm with --yes: there is no terminal to ask.',
    exitCode: 2,
  })
})
