import { stateTypeName } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { State, Verdict } from '@millrace/contracts/state.ts'
import type { Cli } from './cli.ts'
import { exitCodes } from './exit-codes.ts'
import { followLogs } from './follow-logs.ts'
import { formatMoment } from './output/details.ts'
import { LiveLine } from './output/live-line.ts'
import { formatLog } from './output/log-lines.ts'
import { durationText } from './output/run-columns.ts'
import { stateStyles } from './output/style.ts'
import { quoted, toSingleLine } from './output/text-width.ts'
import { hasSentLogs, patientRetry } from './show-logs.ts'
import { watchRun } from './watch-run.ts'

/** The page of a run in the dashboard. */
export const flowRunUrl = (cli: Cli, id: string): string => `${cli.connection.url.replace(/\/api$/, '')}/runs/flow-run/${id}`

/** One line for each decision of the rules: `2026-05-01T12:00:00Z  Running rejected: no free slot (rule)`. */
export const verdictLines = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ at, status, rule, reason, to_type }) => {
    const outcome = { ACCEPT: 'changed', REJECT: 'rejected', WAIT: 'delayed', ABORT: 'aborted' }[status]
    return `${formatMoment(at)}  ${stateTypeName(to_type)} ${outcome}: ${toSingleLine(reason)} (${rule})`
  })

/** Shows the states of a run until it ends, with its logs if wanted, and sets the exit code. JSON and YAML have the run after its end. */
export async function showRun(cli: Cli, { id, name }: FlowRunResponse, { logs }: { readonly logs?: boolean | undefined }): Promise<void> {
  const client = cli.createClient({ retry: patientRetry })
  const line = new LiveLine(cli.io)
  // Ends the other part if one part fails.
  const stop = new AbortController()
  const signal = AbortSignal.any([cli.io.signal, stop.signal])
  let current: FlowRunResponse | undefined
  const draw = () => current && line.draw(`${name}  ${current.state_name ?? ''}  ${durationText(liveRun(current))}`)
  const timer = setInterval(draw, 1000)

  const showStates = async () => {
    for await (const { run, states } of watchRun(client, id, signal)) {
      current = run
      if (states.length > 0 && !cli.output.isStructured) {
        line.above(() => cli.output.text(states.map((state) => stateLine(cli, state)).join('\n')))
      }
      draw()
    }
  }
  const showNewLogs = async () => {
    const toLine = (log: Parameters<typeof formatLog>[0]) => formatLog(log, { timestamps: true }, cli.output.style)
    const isEnded = hasSentLogs(() => client.flowRuns.read(id, { signal }))
    for await (const page of followLogs(client, { flow_run_id: { any_: [id] } }, { signal, isEnded })) {
      const text = page.map(toLine).join('\n')
      line.above(() => (cli.output.isStructured ? cli.output.note(text) : cli.output.text(text)))
    }
  }
  try {
    await Promise.all([showStates(), ...(logs ? [showNewLogs()] : [])])
  } finally {
    stop.abort()
    clearInterval(timer)
    line.draw('')
  }
  if (!current) return
  if (current.state_type !== 'COMPLETED') cli.exitCode = exitCodes.runNotCompleted
  const duration = durationText(current)
  await cli.output.done(`Flow run ${quoted(name)} ended in state ${current.state_name}${duration && ` after ${duration}`}.`, current)
}

function stateLine(cli: Cli, { type, name, timestamp, message }: State): string {
  const state = cli.output.style(stateStyles[type] ?? 'reset', toSingleLine(name ?? stateTypeName(type)))
  return `${cli.output.style('gray', formatMoment(timestamp))}  ${state}${message ? `  ${toSingleLine(message)}` : ''}`
}

/** The run as it is now: the server computes its run time when it is read. */
function liveRun(run: FlowRunResponse): FlowRunResponse {
  if (run.state_type !== 'RUNNING' || !run.start_time) return run
  return { ...run, estimated_run_time: Math.max(run.estimated_run_time, (Date.now() - Date.parse(run.start_time)) / 1000) }
}
