import type { Log } from '@millrace/contracts/log.ts'
import { stripAnsi } from '../../ui/ansi.ts'
import { levelName } from './log-levels.ts'

/** One line per log, without ANSI colours. */
export const formatLogs = (logs: readonly Log[]): string =>
  logs.map((log) => `${log.timestamp} ${levelName(log.level).padEnd(8)} ${log.name}: ${stripAnsi(log.message)}\n`).join('')
