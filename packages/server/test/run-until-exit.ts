import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Starts the server bundle, in less than half the time of the sources. Builds it when it is outdated. */
const entry = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url))

export interface ProcessExit {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartOptions {
  readonly env?: Record<string, string>
  readonly account?: { readonly uid: number; readonly gid: number } | undefined
}

/** Starts a server that is expected to exit by itself, and waits for its exit. */
export function runUntilExit(args: readonly string[], { env = {}, account }: StartOptions = {}): Promise<ProcessExit> {
  const child = spawn(process.execPath, [entry, '--no-ui', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A home folder that cannot be written: tests leave no run files.
    env: { PATH: process.env.PATH ?? '', HOME: '/dev/null', MILLRACE_SERVER_LOG_LEVEL: 'error', MILLRACE_SERVER_PROCESSES: '1', ...env },
    ...account,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
    // The server started: kill it, so that the test fails instead of waiting.
    if (stdout.includes('is ready at') || stdout.includes('runs its background services')) child.kill('SIGKILL')
  })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString()
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}
