import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { Log, LogFilter } from '@millrace/contracts/log.ts'
import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { followLogs, readLastLogs, readLogs } from './follow-logs.ts'
import { parseCount } from './option-values.ts'
import { formatLog, parseLevel } from './output/log-lines.ts'
import { escapeControlCharacters } from './output/text-width.ts'
import { parsePastTime } from './time-values.ts'

export interface LogOptions {
  readonly follow?: boolean
  readonly level?: number
  readonly tail?: number
  readonly since?: string
  readonly timestamps?: boolean
}

export const addLogOptions = (command: Command): Command =>
  command
    .option('-f, --follow', 'wait for new logs until the run ends')
    .option('--level <level>', 'only this level and higher ones: debug, info, warning, error, critical', parseLevel)
    .option('--tail <n>', 'only the last logs', parseCount)
    .option('--since <time>', 'only logs after this time: a duration before now (10m, 2h) or a time', parsePastTime)
    .option('-t, --timestamps', 'show the time of each log')

/** Clients send their last logs shortly after the final state. */
const lateLogSeconds = 2.5

/** A state with its time, of a flow run or a task run. */
type ReadState = () => Promise<{ readonly state?: { readonly type: string; readonly timestamp: string } | null }>

/** Returns true when a run has ended and its last logs should have arrived. */
export function hasSentLogs(readRun: ReadState): () => Promise<boolean> {
  let seenEndedAt: number | undefined
  return async () => {
    const { state } = await readRun()
    if (!state || !isEnded(state.type as Parameters<typeof isEnded>[0])) {
      seenEndedAt = undefined
      return false
    }
    // The clock of the server may be ahead of this one, so the time since the end was seen counts too.
    seenEndedAt ??= performance.now()
    return Math.max(Date.now() - Date.parse(state.timestamp), performance.now() - seenEndedAt) >= lateLogSeconds * 1000
  }
}

/** Retries of a command that runs for long: a restart of the server must not end it. */
export const patientRetry = { retries: 10, delaySeconds: 0.5, delaySecondsMax: 10 }

/** Prints the logs of a run, and new ones with `--follow`. */
export async function showLogs(cli: Cli, filter: LogFilter, options: LogOptions, isEndOfLogs: () => Promise<boolean>): Promise<void> {
  const { follow, level, tail, timestamps = false } = options
  const { signal } = cli.io
  const logFilter = level === undefined ? filter : { ...filter, level: { ge_: level } }
  const print = logPrinter(cli, (log) => formatLog(log, { timestamps }, cli.output.style))
  const shown = tail === undefined ? [] : await readLastLogs(cli.client, logFilter, tail, { signal, since: options.since })
  if (!follow && cli.output.isStructured) return cli.output.data(tail === undefined ? await Array.fromAsync(readAll()) : shown)
  await print(shown)
  if (follow) {
    const client = cli.createClient({ retry: patientRetry })
    const since = shown[0]?.timestamp ?? options.since
    for await (const logs of followLogs(client, logFilter, { signal, since, shown, isEnded: isEndOfLogs })) await print(logs)
  } else if (tail === undefined) {
    for await (const logs of readLogs(cli.client, logFilter, { signal, since: options.since })) await print(logs)
  }

  async function* readAll(): AsyncGenerator<Log> {
    for await (const logs of readLogs(cli.client, logFilter, { signal, since: options.since })) yield* logs
  }
}

/** Prints logs as they arrive: lines for a person, otherwise one JSON object per line or one YAML document per log. */
export function logPrinter(cli: Cli, toLine: (log: Log) => string): (logs: readonly Log[]) => Promise<void> {
  return async (logs) => {
    if (logs.length === 0) return
    if (cli.output.format === 'json') return cli.output.text(logs.map((log) => escapeControlCharacters(JSON.stringify(log))).join('\n'))
    if (cli.output.format !== 'yaml') return cli.output.text(logs.map(toLine).join('\n'))
    const { toYaml } = await import('./output/yaml.ts')
    cli.output.text(logs.map((log) => `---\n${toYaml(log).trimEnd()}`).join('\n'))
  }
}
