import type { Config } from '../config.ts'
import { type LogLevel, logLevels } from '../lib/log-level.ts'
import { logText } from './log-text.ts'
import type { LogLine } from './otlp-json.ts'
import type { Telemetry } from './telemetry.ts'

/** Parts of the server whose log level can be set. */
export const logRooms = ['server', 'http', 'services', 'storage'] as const
export type LogRoom = (typeof logRooms)[number]

/** The level of a room: its own, or that of the server. */
export function levelOf({ server }: Config, room: LogRoom): LogLevel {
  const own = server.log_levels.map((entry) => entry.split('=')).find(([name]) => name === room)?.[1]
  return (own as LogLevel | undefined) ?? server.log_level
}

/** What is wrong with `log_levels`; undefined if nothing is. */
export function logLevelsProblem({ server }: Config): string | undefined {
  for (const entry of server.log_levels) {
    const [room = '', level = '', ...rest] = entry.split('=')
    if (!(logRooms as readonly string[]).includes(room) || !(logLevels as readonly string[]).includes(level) || rest.length > 0)
      return `MILLRACE_SERVER_LOG_LEVELS: ${JSON.stringify(entry)} is not one of ${logRooms.join(', ')}, followed by \`=\` and one of ${logLevels.join(', ')}`
  }
  return undefined
}

export const isTextLog = ({ server: { log_format } }: Config, isTerminal: boolean): boolean =>
  log_format === 'text' || (log_format === 'auto' && isTerminal)

export interface LogOutput {
  readonly isTerminal: boolean
  write(text: string): void
}

/** Options of Pino, which writes JSON by itself. Text and the collector need a stream of ours. */
export function loggerOptions(config: Config, telemetry: Telemetry | undefined, output: LogOutput): object {
  const isText = isTextLog(config, output.isTerminal)
  const log = telemetry?.log
  const stream = {
    write(json: string) {
      const line = JSON.parse(json) as LogLine
      output.write(isText ? logText(line, output.isTerminal) : json)
      log?.(line)
    },
  }
  return { level: levelOf(config, 'server'), ...(isText || log ? { stream } : {}) }
}
