import { spawn } from 'node:child_process'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'

/** A program of PostgreSQL with its version. */
interface PostgresTool {
  readonly name: string
  readonly version: number
}

/** Finds `pg_dump` or `pg_restore` on the PATH. The versions of both have to be at least that of the server. */
export async function findPostgresTool(io: Io, name: 'pg_dump' | 'pg_restore', serverVersion: number): Promise<PostgresTool> {
  const { code, stdout } = await runTool(io, name, ['--version']).catch(() => ({ code: -1, stdout: '' }))
  const version = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0)
  if (code !== 0 || version === 0) {
    throw new CommandError(
      `${name} was not found. Install the client programs of PostgreSQL ${serverVersion} (package postgresql-client-${serverVersion}), or save the database with the tools of your provider (docs/backup.md).`,
    )
  }
  if (version < serverVersion) {
    throw new CommandError(
      `${name} has version ${version}, and the server has version ${serverVersion}. Install the client programs of PostgreSQL ${serverVersion} (package postgresql-client-${serverVersion}) and put them first on the PATH.`,
    )
  }
  return { name, version }
}

/** The URL without its password, which other users of the machine could read in the list of processes. */
export function splitPassword(url: string): { url: string; env: Record<string, string> } {
  const parsed = new URL(url)
  const { password } = parsed
  parsed.password = ''
  // A parameter of the driver that libpq rejects.
  parsed.searchParams.delete('uselibpqcompat')
  return { url: parsed.href, env: password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) } }
}

interface ToolResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const outputMax = 1_000_000

/** Runs a program and collects its output. */
export function runTool(io: Io, name: string, args: readonly string[], env: Record<string, string> = {}): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { env: { ...io.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], signal: io.signal })
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (output[stream].length < outputMax) output[stream] += text
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, ...output }))
  })
}
