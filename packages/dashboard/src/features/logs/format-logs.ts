import type { Log } from '@millrace/contracts/log.ts'
import { stripAnsi } from '../../ui/ansi.ts'
import { levelName } from './log-levels.ts'

/** One line each, as a terminal would have shown them, without its colours. */
export const formatLogs = (logs: readonly Log[]): string =>
  logs.map((log) => `${log.timestamp} ${levelName(log.level).padEnd(8)} ${log.name}: ${stripAnsi(log.message)}\n`).join('')
