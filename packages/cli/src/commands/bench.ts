import { measurementNames, unknownNames } from '@millrace/bench/all-workloads.ts'
import { removeFixtures } from '@millrace/bench/fixtures.ts'
import { ConnectionError, HttpConnection, StatusError } from '@millrace/bench/http-connection.ts'
import { type MeasuredResult, runBench } from '@millrace/bench/run-bench.ts'
import { patient } from '@millrace/bench/seed.ts'
import type { MillraceClient } from '@millrace/client/client.ts'
import { ApiError } from '@millrace/client/errors.ts'
import { createIdGenerator } from '@millrace/server/lib/ids.ts'
import { systemRandom } from '@millrace/server/lib/random.ts'
import { systemClock } from '@millrace/server/lib/time.ts'
import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { apiUrl, type Connection, resolveConnection } from '../connection.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { parsePositive } from '../option-values.ts'
import { formatNumber } from '../output/number-text.ts'
import type { Column } from '../output/table.ts'

interface BenchFlags {
  readonly url?: string
  readonly only?: readonly string[]
  readonly seconds: number
  readonly users: number
  readonly runs: number
  readonly yes?: boolean
}

const milliseconds = (value: number | undefined): string =>
  value === undefined ? '' : value >= 100 ? formatNumber(Math.round(value)) : String(value)

const columns: readonly Column<MeasuredResult>[] = [
  { title: 'WORKLOAD', value: ({ name }) => name, isFixed: true },
  { title: 'USERS', value: ({ users }) => users, isNumber: true },
  { title: 'PER SECOND', value: ({ unitsPerSecond }) => milliseconds(unitsPerSecond), isNumber: true },
  { title: 'UNIT', value: ({ unit }) => unit },
  { title: 'P50 MS', value: ({ latencyMs }) => milliseconds(latencyMs?.p50), isNumber: true },
  { title: 'P95 MS', value: ({ latencyMs }) => milliseconds(latencyMs?.p95), isNumber: true },
  { title: 'P99 MS', value: ({ latencyMs }) => milliseconds(latencyMs?.p99), isNumber: true },
  { title: 'ERRORS', value: ({ errors }) => errors, isNumber: true, style: ({ errors }) => (errors > 0 ? 'red' : undefined) },
  { title: 'OPERATIONS', value: ({ operations }) => operations, isNumber: true, isWide: true },
  { title: 'CLIENT CORES', value: ({ clientCores }) => clientCores, isNumber: true, isWide: true },
]

export function benchCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Measures how many requests a server takes, and how long each takes. Every answer is checked; only right ones count. The command creates flows, deployments, runs and a work pool whose names start with millrace-bench-, and deletes them at the end, also after Ctrl-C. Events stay until retention removes them. Do not run it against a server whose users must not notice the load. Automations without a filter react to its events.',
    )
    .option('--url <url>', 'API of the server; the same as --server')
    .option('--only <workload...>', 'only these workloads, or all that start with a word and a dot, such as filter')
    .option('--seconds <n>', 'time of each workload', parseSeconds, 2)
    .option('--users <n>', 'concurrent users, each with a connection', parsePositive, 8)
    .option('--runs <n>', 'flow runs to create first; most reads need 1000', parsePositive, 1000)
    .option('-y, --yes', 'measure a server that holds other data without asking')
    .action(async (flags: BenchFlags) => {
      const unknown = unknownNames(flags.only ?? [])
      if (unknown.length > 0) throw new UsageError(`--only: no workload is named ${unknown.join(', ')}. There are ${measurementNames().join(', ')}.`)
      const connection = flags.url === undefined ? cli.connection : resolveConnection({ server: apiUrl(flags.url, '--url') }, cli.io.env)
      const client = cli.createClient({ url: connection.url, authString: connection.authString, key: connection.key })
      await confirmLoad(cli, client, connection.url, flags.yes)
      await measureServer(cli, client, connection, flags)
    })
  withExamples(
    command,
    ['bench --url http://127.0.0.1:4200'],
    ['bench --only lifecycle filter --users 16 --seconds 10'],
    ['bench --yes -o json > bench.json', 'for other programs'],
  )
}

/** A benchmark slows down everybody who uses the server. */
async function confirmLoad(cli: Cli, client: MillraceClient, url: string, isConfirmed: boolean | undefined): Promise<void> {
  const [flows, runs, deployments] = await Promise.all([client.flows.count(), client.flowRuns.count(), client.deployments.count()])
  if (flows + runs + deployments === 0) return
  const held = `${formatNumber(flows)} flows, ${formatNumber(deployments)} deployments and ${formatNumber(runs)} flow runs`
  await cli.confirm(`The server at ${url} holds ${held}, and the benchmark puts it under full load. Measure it?`, isConfirmed)
}

async function measureServer(cli: Cli, client: MillraceClient, connection: Connection, flags: BenchFlags): Promise<void> {
  const { signal, stderr } = cli.io
  // The data is removed after Ctrl-C too.
  cli.endsItself = true
  const stamp = createIdGenerator(systemClock(), systemRandom())().slice(-8)
  const prefix = `millrace-bench-${stamp}`
  const options = { headers: await requestHeaders(client, connection, prefix) }
  const { only = [], seconds, users, runs } = flags
  const token = connection.authString || connection.key
  const started = new Date()
  const note = (text: string) => stderr.isTTY && cli.output.note(text)
  const results: MeasuredResult[] = []
  try {
    note(`Creating ${formatNumber(runs)} flow runs …`)
    const bench = { urls: [connection.url], connection: options, token, prefix, stamp, runs, only, seconds, users, signal }
    const onStart = (name: string, index: number, total: number) => void note(`${index + 1}/${total} ${name}`)
    await runBench({ ...bench, onStart, onResult: (result) => results.push(result) })
  } catch (error) {
    if (!signal.aborted) throw toCommandError(error)
    cli.exitCode = exitCodes.interrupted
    cli.isEndedByInterrupt = true
  } finally {
    await removeData(cli, connection.url, options, prefix)
  }
  await printResults(cli, { url: connection.url, measured: started.toISOString(), runs, seconds, users, results })
}

interface Report {
  readonly url: string
  readonly measured: string
  readonly runs: number
  readonly seconds: number
  readonly users: number
  readonly results: readonly MeasuredResult[]
}

async function printResults(cli: Cli, report: Report): Promise<void> {
  if (cli.output.isStructured) await cli.output.data(report)
  else await cli.output.list(report.results, columns, 'Nothing was measured.')
  for (const { name, failure, errorKinds = {} } of report.results) {
    if (failure !== undefined) cli.output.note(`${name}: ${failure}`)
    for (const [kind, count] of Object.entries(errorKinds)) cli.output.note(`${name}: ${formatNumber(count)} times: ${kind}`)
  }
  if (report.results.some(({ errors }) => errors > 0)) cli.exitCode ||= exitCodes.failed
}

async function removeData(cli: Cli, url: string, options: object, prefix: string): Promise<void> {
  const http = new HttpConnection(url, { ...options, ...patient })
  try {
    if (cli.io.stderr.isTTY) cli.output.note('Deleting the data of the benchmark …')
    await removeFixtures(http, prefix)
  } catch (error) {
    throw new CommandError(
      `The data of the benchmark was not deleted: ${(error as Error).message}. Delete the flows and the pool that start with ${prefix}.`,
    )
  } finally {
    http.close()
  }
}

/** Credentials, and a CSRF token if the server asks for one. */
async function requestHeaders(client: MillraceClient, { authString, key }: Connection, name: string): Promise<Record<string, string>> {
  const authorization = authString ? `Basic ${Buffer.from(authString).toString('base64')}` : key ? `Bearer ${key}` : undefined
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  try {
    const { token } = await client.http.call<{ token: string }>('GET', '/csrf-token', { query: { client: name } })
    return { ...headers, 'prefect-csrf-client': name, 'prefect-csrf-token': token }
  } catch (error) {
    if (error instanceof ApiError) return headers
    throw error
  }
}

/** A request of the preparation failed. */
const toCommandError = (error: unknown): unknown =>
  error instanceof StatusError || error instanceof ConnectionError || (error instanceof Error && 'code' in error)
    ? new CommandError(error.message)
    : error

function parseSeconds(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('It is not a number above 0, up to 3600.')
  return value
}
