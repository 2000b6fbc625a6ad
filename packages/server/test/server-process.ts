import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Starts the server bundle, in less than half the time of the sources. Builds it when it is outdated. */
const entry = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url))

/** A server in its own process, started like `npm start` without the dashboard, on a free port. */
export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Sends a request and parses the JSON of the response. Throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the response
  post(path: string, body: unknown): Promise<any>
  /** Sends the signal and waits for the exit code. */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

export async function startServerProcess(
  databaseUrl: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  onStderr?: (text: string) => void,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [entry, '--no-ui', '--port', '0', '--database', databaseUrl, ...args], {
    stdio: ['ignore', 'pipe', onStderr ? 'pipe' : 'inherit'],
    // A home folder that cannot be written: tests leave no run files.
    env: { PATH: process.env.PATH ?? '', HOME: '/dev/null', MILLRACE_SERVER_LOG_LEVEL: 'error', MILLRACE_SERVER_PROCESSES: '1', ...env },
  })
  child.stderr?.on('data', (piece: Buffer) => onStderr?.(piece.toString()))
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (piece: Buffer) => {
      output += piece.toString()
      // A process without API has no address.
      const ready = /ready at (http:\S+)|runs its background services/.exec(output)
      if (ready) resolve(ready[1] ?? '')
    })
    void gone.then((code) => reject(new Error(`the server exited with ${code} before it was ready: ${output}`)))
  })
  return {
    url,
    child,
    async post(path, body) {
      const response = await fetch(`${url}/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    kill(signal) {
      child.kill(signal)
      return gone
    },
  }
}
