/**
 * Exit codes for supervisors and scripts, explained in docs/troubleshooting.md. Node uses codes up to 13 itself, so these begin at 20, except 2, the
 * usual code for a wrong command line.
 */
export const exitCodes = {
  ended: 0,
  failed: 1,
  settings: 2,
  cannotListen: 20,
  databaseInUse: 21,
  databaseUnusable: 22,
  databaseUnreachable: 23,
} as const

/** A startup error that the user can fix. The message says what is wrong and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
  readonly exitCode: number

  constructor(kind: keyof typeof exitCodes, message: string, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCodes[kind]
  }
}

/** The code of a system error (`EACCES`), or an empty string. */
export const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')
