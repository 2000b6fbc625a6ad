/** A user with an empty home directory and the Node of the system. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../packages/server/test/free-port.ts'

export interface NewUser {
  readonly uid: number
  readonly home: string
  /** The folder in which the user works. */
  readonly project: string
  /** Variables for programs that download. Node 20 takes 40 ms longer with certificates of its own. */
  readonly network: Readonly<Record<string, string>>
  /** The user's copy of the tarball. */
  readonly tarball: string
  take(tarball: string): void
  /** Returns what the program prints. Rejects if it fails. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  startServer(command: readonly string[]): Promise<RunningServer>
}

interface RunningServer {
  readonly url: string
  /** From the start of the process to the first response of both the dashboard and the API. */
  readonly readyMs: number
  output(): string
  /** Sends SIGTERM, waits until no process is left, and returns the exit code. */
  stop(): Promise<number | null>
}

/** The user `nobody` if the proof runs as root. */
export function newUser(folder: string, bin: string): NewUser {
  const isRoot = process.getuid?.() === 0
  const uid = isRoot ? 65534 : (process.getuid?.() ?? 0)
  const home = join(folder, 'home')
  const project = join(home, 'project')
  const own = (path: string) => isRoot && chownSync(path, uid, uid)
  chmodSync(folder, 0o777)
  for (const path of [home, project]) {
    mkdirSync(path)
    own(path)
  }
  const env = { PATH: [bin, '/usr/bin', '/bin'].join(':'), HOME: home }
  const network = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:npm_config_registry|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name)),
  ) as Record<string, string>
  const start = (program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess =>
    spawn(program, args, { cwd: project, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'], ...(isRoot && { uid, gid: uid }) })

  let tarball = ''
  return {
    uid,
    home,
    project,
    network,
    get tarball() {
      return tarball
    },
    take(path) {
      tarball = join(home, basename(path))
      cpSync(path, tarball)
      own(tarball)
    },
    async run(program, args, more) {
      const child = start(program, args, more)
      // Rejects if the program does not start.
      const ended = once(child, 'close')
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout as NodeJS.ReadableStream),
        text(child.stderr as NodeJS.ReadableStream),
        ended,
      ])
      if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
    async startServer([program = '', ...args]) {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const startedAt = performance.now()
      const child = start(program, args, { MILLRACE_SERVER_PORT: String(port) })
      let output = ''
      child.stdout?.on('data', (piece) => (output += piece))
      child.stderr?.on('data', (piece) => (output += piece))
      // When the last process that holds the pipes has ended.
      const ended = once(child, 'close') as Promise<[number | null]>
      while (!((await answers(`${url}/`)) && (await answers(`${url}/api/health`)))) {
        if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}:\n${output}`)
        await wait(5)
      }
      const readyMs = performance.now() - startedAt
      const stop = async () => {
        child.kill('SIGTERM')
        return (await ended)[0]
      }
      return { url, readyMs, output: () => output, stop }
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { headers: { accept: 'text/html,application/json' } }).then(
    ({ ok }) => ok,
    () => false,
  )
