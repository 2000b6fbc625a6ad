import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { repositoryRoot } from './repository.ts'

const startScript: string = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).scripts.start
const v8Flags = startScript.match(/--\S+/g) ?? []

/** Prints the heap limit that V8 derived from its flags, once for each program that the process executes. */
const probe = `data:text/javascript,import v8 from 'node:v8'; console.log('heap limit', v8.getHeapStatistics().heap_size_limit)`

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [join(repositoryRoot, 'packages/millrace/bin/millrace.mjs'), 'server', 'start', '--no-ui', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: '/dev/null', NODE_OPTIONS: `--import "${probe}"` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (piece: Buffer) => {
    said += piece
  })
  return {
    child,
    said: () => said,
    errors: text(child.stderr),
    ended: once(child, 'exit') as Promise<[number | null, string | null]>,
    async readyAt(): Promise<string> {
      while (!said.includes('is ready at')) await once(child.stdout, 'data')
      return /ready at (\S+)/.exec(said)?.[1] ?? ''
    },
  }
}

async function heapLimitWith(flags: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [...flags, '--import', probe, '-e', ''], { stdio: ['ignore', 'pipe', 'inherit'] })
  return /heap limit \d+/.exec(await text(child.stdout))?.[0]
}

test('the command starts the server with the V8 flags of npm start and stops cleanly on a signal', async () => {
  const { child, said, readyAt, errors, ended } = start(['--port', '0', '--database', 'sqlite::memory:'])
  const address = await readyAt()
  await fetch(`${address}/health`)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(await errors).toBe('')
  expect(v8Flags).not.toEqual([])
  const withFlags = await heapLimitWith(v8Flags)
  expect(withFlags).not.toBe(await heapLimitWith([]))
  expect(
    said()
      .match(/heap limit \d+/g)
      ?.at(-1),
  ).toBe(withFlags)
})

test('the command exits with the code of a configuration error', async () => {
  const { errors, ended } = start(['--port', 'x'])
  expect(await ended).toEqual([2, null])
  expect(await errors).toContain('--port: "x" is not a whole number')
})

test('the server refuses to listen on a public address without a password', async () => {
  const { errors, ended } = start(['--host', '0.0.0.0', '--port', '0', '--database', 'sqlite::memory:'])
  expect(await ended).toEqual([2, null])
  expect((await errors).trim().split('\n')).toEqual([expect.stringContaining('--allow-anonymous')])
})

test('the server logs a warning when anonymous access is allowed', async () => {
  // An address that the check does not recognize as loopback, although only this machine reaches it.
  const { child, said, readyAt, ended } = start(['--host', '127.1', '--allow-anonymous', '--port', '0', '--database', 'sqlite::memory:'])
  const address = await readyAt()
  await fetch(`${address}/health`)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(said()).toMatch(/"level":40.*No password is set/)
})
