import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, vi } from 'vitest'
import { migratedSqlite } from '../../server/test/databases.ts'
import { startApp, type TestApp } from '../../server/test/setup.ts'
import { run } from '../src/program.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliTestServer {
  app: TestApp
  /** API of the server. */
  url: string
  databaseUrl: string
  /** Runs a command line against the server. */
  millrace(...argv: string[]): Promise<CliResult>
  /** Runs a command line with `-o json` and parses its output. */
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape
  json(...argv: string[]): Promise<any>
}

/** Starts a server on a port of its own for the tests of a file. */
export function cliServer(env: Record<string, string> = {}): CliTestServer {
  const server = {} as CliTestServer
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await migratedSqlite()
    drop = database.drop
    server.databaseUrl = database.url
    server.app = await startApp(database.url, { env })
    server.url = `${await server.app.server.listen({ host: '127.0.0.1', port: 0 })}/api`
    server.millrace = (...argv) => runCli(['--server', server.url, ...argv])
    server.json = async (...argv) => {
      const { code, stdout, stderr } = await server.millrace(...argv, '-o', 'json')
      if (code !== 0) throw new Error(`millrace ${argv.join(' ')}: exit code ${code}: ${stderr}`)
      return JSON.parse(stdout)
    }
  })
  afterAll(async () => {
    await server.app.close()
    await drop()
  })
  return server
}

/** Calls back for the path of each response that this process receives. Returns a function that ends it. */
export function onResponse(listener: (path: string) => void): () => void {
  const onFinish = (message: unknown) => listener((message as { request: { path: string } }).request.path)
  subscribe('http.client.response.finish', onFinish)
  return () => unsubscribe('http.client.response.finish', onFinish)
}

interface RunOptions {
  readonly env?: Record<string, string>
  readonly stdin?: string
  /** Width of a terminal. Without it the output is a pipe. */
  readonly columns?: number
  readonly signal?: AbortSignal
  /** Called with each output, while the command runs. */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void
}

/** Runs a command line in this process and collects its output. */
export async function runCli(argv: readonly string[], { env = {}, stdin = '', columns, signal, onWrite }: RunOptions = {}): Promise<CliResult> {
  const written = { stdout: '', stderr: '' }
  const write = (stream: keyof typeof written) => (text: string) => {
    written[stream] += text
    onWrite?.(stream, text)
  }
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const code = await run(argv, {
    stdout: { ...terminal, write: write('stdout') },
    stderr: { ...terminal, write: write('stderr') },
    stdin: Readable.from([stdin]),
    env: { HOME: '/nonexistent', NO_COLOR: '1', ...env },
    signal: signal ?? new AbortController().signal,
  })
  return { code, ...written }
}

/** Repeats a check until it passes. The limit of Vitest, one second, is too short for a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 30_000 })
