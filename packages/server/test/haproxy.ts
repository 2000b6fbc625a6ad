import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const program = '/usr/sbin/haproxy'

/** Whether the Debian package is installed. */
export const hasHaproxy = existsSync(program)

/** Runs HAProxy with the configuration of `deploy/proxy`, with servers by address as its comment says. */
export async function startHaproxy(
  servers: readonly string[],
  onOutput: (text: string) => void = (text) => void process.stderr.write(text),
): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'millrace-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  const shipped = readFileSync(new URL('../../../deploy/proxy/haproxy.cfg', import.meta.url), 'utf8')
  const lines = servers.map((url, n) => `  server millrace${n + 1} ${new URL(url).host}`).join('\n')
  const configuration = shipped
    .replace(/^resolvers docker\n(?: .*\n)+/m, '')
    .replace(/^ {2}server-template .*$/m, lines)
    .replace('bind :4200', `bind 127.0.0.1:${port}`)
  writeFileSync(file, configuration)
  const child = spawn(program, ['-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const output of [child.stdout, child.stderr]) output.on('data', (piece: Buffer) => onOutput(piece.toString()))
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  // Until its first checks have passed, HAProxy answers 503.
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isReady = await fetch(`${url}/api/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isReady) break
    await pause(50)
  }
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
