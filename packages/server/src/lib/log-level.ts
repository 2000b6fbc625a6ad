/** The levels of log messages, from all to none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** As in the lines that Pino writes. */
export const severities: Readonly<Record<LogLevel, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 }

/** The level of a line by its severity, which can lie between two levels. */
export const levelOfSeverity = (severity: number): LogLevel => logLevels.findLast((level) => severity >= severities[level]) ?? 'trace'
