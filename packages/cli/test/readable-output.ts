import { beforeAll } from 'vitest'
import type { CliResult, CliTestServer } from './cli-test.ts'

/** Replaces what differs between two runs of a test: ids, times and numbers of requests. */
const readable = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/\(request [^)]+\)/g, '(request <id>)')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:<port>')

/** All output of a command, as a person sees it: the exit code if it is not 0, then stdout and stderr. */
export const screen = ({ code, stdout, stderr }: CliResult): string =>
  readable(`${code === 0 ? '' : `exit code ${code}\n`}${stdout}${stderr}`).trimEnd()

/** Sets the clock of the server so that ages are minutes: those do not change while the tests run. */
export function setClockMinutesAgo(server: CliTestServer, minutes: number): void {
  beforeAll(() => server.app.clock.set((Date.now() - (minutes * 60 + 20) * 1000) * 1000))
}
