import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { repositoryRoot } from './repository.ts'

const startScript: string = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).scripts.start
const v8Flags = startScript.match(/--\S+/g) ?? []

/** Prints what V8 made of its flags, once for each program that the process becomes. */
const probe = `data:text/javascript,import v8 from 'node:v8'; console.log('heap limit', v8.getHeapStatistics().heap_size_limit)`

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [join(repositoryRoot, 'packages/millrace/bin/millrace.mjs'), 'server', 'start', '--no-ui', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NODE_OPTIONS: `--import "${probe}"` },
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

test('the command starts the server with the V8 flags of npm start, and a signal ends it in order', async () => {
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

test('a mistake in the settings is the exit code of the command', async () => {
  const { errors, ended } = start(['--port', 'x'])
  expect(await ended).toEqual([2, null])
  expect(await errors).toContain('--port: "x" is not a whole number')
})

test('a server that others reach without a password does not start', async () => {
  const { errors, ended } = start(['--host', '0.0.0.0', '--port', '0', '--database', 'sqlite::memory:'])
  expect(await ended).toEqual([2, null])
  expect((await errors).trim().split('\n')).toEqual([expect.stringContaining('--allow-anonymous')])
})

test('a server that others are let into without a password says so in its log', async () => {
  // Not counted as loopback, since it is not written as one, and yet reached from this machine alone.
  const { child, said, readyAt, ended } = start(['--host', '127.1', '--allow-anonymous', '--port', '0', '--database', 'sqlite::memory:'])
  const address = await readyAt()
  await fetch(`${address}/health`)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(said()).toMatch(/"level":40.*no password is set/)
})
