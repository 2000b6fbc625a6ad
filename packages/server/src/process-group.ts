import cluster, { type Worker } from 'node:cluster'
import { hostname } from 'node:os'
import type { Config } from './config.ts'
import { severities } from './lib/log-level.ts'
import { exitCodes } from './lib/startup-error.ts'
import { addSeconds, afterSeconds, type Micros, machineClock, secondsBetween, waitSeconds } from './lib/time.ts'
import type { MetricsMessage } from './metrics/group-metrics.ts'
import { logText } from './telemetry/log-text.ts'
import { isTextLog, levelOf } from './telemetry/logger.ts'

/** Between a process of the group and the primary. */
export type GroupMessage =
  | MetricsMessage
  | { readonly kind: 'ready'; readonly address: string | null }
  /** The start failed. The primary prints the text once and ends with the exit code. */
  | { readonly kind: 'failed'; readonly text: string; readonly exitCode: number }
  /** A client asked `/ready`. The primary tells the others, so that all of them know that a load balancer polls this server. */
  | { readonly kind: 'checked' }

export interface ProcessGroupOptions {
  readonly count: number
  /** Called once, when all processes are ready. */
  onReady(address: string | null): void
  /** Signals that arrive twice within this time count once. */
  readonly duplicateSignalSeconds: number
  readonly config: Config
}

/** A replacement starts after this delay, which doubles while replacements die early. */
const firstDelaySeconds = 0.25
const delaySecondsMax = 30

const delayAfter = (deaths: number): number => Math.min(delaySecondsMax, firstDelaySeconds * 2 ** Math.max(0, deaths - 1))

/** A process that was ready for this long did not die early. */
const stableSeconds = 60

/** How long the other processes have to end when one cannot start. */
const abortSeconds = 5

/** What a process of a group is for its primary; undefined in a server of one process. */
export const groupMember = (): Worker | undefined => cluster.worker

/** Sends a message to the primary. Resolves when it is sent. */
export const sendToPrimary = (message: GroupMessage): Promise<void> =>
  new Promise((resolve) => void (process.connected ? process.send?.(message, () => resolve()) : resolve()))

/**
 * Runs equal processes of this command that share its port, until a signal ends them. A process that dies is replaced. Until all are ready, a process
 * that cannot start ends the whole group.
 */
export function runProcessGroup({ count, onReady, duplicateSignalSeconds, config }: ProcessGroupOptions): void {
  const { monotonic } = machineClock()
  const log = createLog(config)
  const readySince = new Map<Worker, Micros>()
  const members = new Set<Worker>()
  let phase: 'starting' | 'running' | 'ending' = 'starting'
  let exitCode: number = exitCodes.ended
  let earlyDeaths = 0
  /** Processes in a row that died before they were ready. */
  let failedStarts = 0
  let signalledAt: Micros | undefined

  // Measured with 8 and 16 keep-alive connections: the kernel (SO_REUSEPORT) left one of four processes without any in two of three trials.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ args: process.argv.slice(2) })

  function start(): void {
    const member = cluster.fork()
    members.add(member)
    member.on('message', (message: GroupMessage) => receive(member, message))
    member.on('error', () => undefined)
    member.on('exit', (code, signal) => end(member, code, signal))
  }

  function receive(member: Worker, message: GroupMessage): void {
    if (message.kind === 'ready') {
      readySince.set(member, monotonic())
      failedStarts = 0
      if (phase !== 'starting') log('info', `Process ${member.process.pid} is ready`)
      else if (readySince.size === count) {
        phase = 'running'
        onReady(message.address)
      }
    } else if (message.kind === 'failed') {
      if (phase === 'starting') abort(message.text, message.exitCode)
      else if (phase === 'running') log('error', `Process ${member.process.pid} cannot start: ${message.text}`)
    } else if (message.kind === 'checked') {
      for (const other of othersThan(member)) other.send(message)
    } else relayMetrics(member, message)
  }

  const othersThan = (member: Worker): Worker[] => [...members].filter((other) => other !== member && readySince.has(other) && other.isConnected())

  function relayMetrics(member: Worker, message: MetricsMessage): void {
    if (message.kind === 'metrics-wanted') {
      const others = othersThan(member)
      member.send({ kind: 'metrics-asked', request: message.request, others: others.length } satisfies MetricsMessage)
      for (const other of others) other.send({ ...message, asker: member.id } satisfies MetricsMessage)
    } else if (message.kind === 'metrics') {
      const asker = [...members].find(({ id }) => id === message.asker)
      if (asker?.isConnected()) asker.send(message)
    }
  }

  function end(member: Worker, code: number | null, signal: string | null): void {
    members.delete(member)
    const since = readySince.get(member)
    readySince.delete(member)
    const reason = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
    if (phase === 'starting') abort(`Process ${member.process.pid} ${reason} before it was ready.`, code || exitCodes.failed)
    if (phase === 'ending') {
      if (code !== 0 && exitCode === exitCodes.ended) exitCode = exitCodes.failed
      if (members.size === 0) process.exit(exitCode)
      return
    }
    const wasStable = since !== undefined && secondsBetween(since, monotonic()) >= stableSeconds
    earlyDeaths = wasStable ? 0 : earlyDeaths + 1
    if (since === undefined) failedStarts += 1
    // Somebody has to serve: without any process left, only one that cannot start is waited for.
    const delay = members.size > 0 ? delayAfter(earlyDeaths) : failedStarts === 0 ? 0 : delayAfter(failedStarts)
    log('error', `Process ${member.process.pid} ${reason}. Another one starts ${delay === 0 ? 'now' : `in ${delay} seconds`}.`)
    const replace = () => {
      if (phase === 'running') start()
    }
    // The wait keeps the primary alive: without a process nothing else does.
    if (delay === 0) replace()
    else void waitSeconds(delay).then(replace)
  }

  function abort(text: string, code: number): void {
    console.error(text)
    phase = 'ending'
    exitCode = code
    // A process that is closed while it waits for the port may fail with a stack trace of Node. One that is not ready has served nobody.
    for (const member of members) member.process.kill(readySince.has(member) ? 'SIGINT' : 'SIGKILL')
    if (members.size === 0) process.exit(code)
    afterSeconds(abortSeconds, () => killAll())
  }

  function killAll(): never {
    for (const member of members) member.process.kill('SIGKILL')
    process.exit(exitCode === exitCodes.ended ? exitCodes.failed : exitCode)
  }

  function shutDown(signal: NodeJS.Signals): void {
    if (signalledAt !== undefined) {
      if (monotonic() > addSeconds(signalledAt, duplicateSignalSeconds)) killAll()
      return
    }
    signalledAt = monotonic()
    phase = 'ending'
    if (members.size === 0) process.exit(exitCode)
    // Each process has its own time limits. A terminal signals them too; they ignore the second signal.
    for (const member of members) member.process.kill(signal)
  }

  process.on('SIGTERM', shutDown)
  process.on('SIGINT', shutDown)
  for (let n = 0; n < count; n += 1) start()
}

/** A log line like those of the other processes. */
function createLog(config: Config): (level: 'info' | 'error', msg: string) => void {
  const isTerminal = process.stdout.isTTY === true
  return (level, msg) => {
    if (severities[level] < severities[levelOf(config, 'server')]) return
    const line = { level: severities[level], time: Math.floor(machineClock().wall() / 1000), pid: process.pid, hostname: hostname(), msg }
    process.stdout.write(isTextLog(config, isTerminal) ? logText(line, isTerminal) : `${JSON.stringify(line)}\n`)
  }
}
