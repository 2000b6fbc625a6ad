import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'

const launcher = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    // Not SIGKILL, which would leave the server behind.
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})

/** Starts `millrace dev` in a folder. */
function startDev(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [launcher, 'dev', '--no-ui', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, MILLRACE_SERVER_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece))
  const ended = once(child, 'exit')
  return {
    child,
    ended,
    output: () => output,
    async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        const event = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended.then(() => 'ended')])
        if (event === 'ended' && !pattern.test(output)) throw new Error(`millrace dev ended:\n${output}`)
      }
    },
  }
}

const post = async (url: string, path: string, body: unknown) => {
  const response = await fetch(`${url}/api${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return (await response.json()) as { id: string }
}

test('prints states of runs, restarts when the file of variables changes, and stops with Ctrl-C', async () => {
  const folder = newFolder('dev')
  const envFile = join(folder, '.env')
  // The environment of the process overrides the port of the file.
  writeFileSync(envFile, 'MILLRACE_SERVER_PORT=1\n')
  const { child, ended, waitFor } = startDev(folder)
  const [, url] = await waitFor(/is ready at (\S+)/)
  expect(existsSync(join(folder, '.millrace/dev.db'))).toBe(true)
  expect(readFileSync(join(folder, '.millrace/.gitignore'), 'utf8')).toBe('*\n')

  const flow = await post(url as string, '/flows/', { name: 'etl' })
  await post(url as string, '/flow_runs/', { flow_id: flow.id, name: 'brave\u001bcat', state: { type: 'PENDING' } })
  await waitFor(/^\d\d:\d\d:\d\d {2}flow run {2}etl\/brave�cat {2}Pending$/m)

  writeFileSync(envFile, 'MILLRACE_EVENTS_RETENTION_DAYS=3\n')
  await waitFor(/\.env changed\. Restarting the server\./)
  const [, again] = await waitFor(/Restarting[\s\S]*is ready at (\S+)/)
  const settings = (await (await fetch(`${again}/api/admin/settings`)).json()) as { settings: { events: { retention_days: number } } }
  expect(settings.settings.events.retention_days).toBe(3)

  writeFileSync(envFile, 'MILLRACE_EVENTS_RETENTION_DAYS=x\n')
  await waitFor(/MILLRACE_EVENTS_RETENTION_DAYS: "x" is not[\s\S]*The server ended with exit code 2\. Waiting for a change/)
  writeFileSync(envFile, '')
  const [, last] = await waitFor(/Waiting for a change[\s\S]*is ready at (\S+)/)

  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  await expect(fetch(`${last}/api/health`)).rejects.toThrow('fetch failed')
})

test('ends with the exit code of a server that cannot start', async () => {
  const { ended, output } = startDev(newFolder('dev'), '--database', 'mysql:x')
  expect(await ended).toEqual([2, null])
  expect(output()).toContain('Error: The server ended with exit code 2.')
})
