/**
 * Why a process ended, for supervisors and scripts; docs/troubleshooting.md explains each. Node uses codes up to 13 for itself, so ours begin at 20,
 * apart from 2, the usual one for a wrong command line.
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

/** The server cannot start for a reason that a person can fix. The message is one or two sentences: what is wrong, and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
  readonly exitCode: number

  constructor(kind: keyof typeof exitCodes, message: string, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCodes[kind]
  }
}

/** The code of a system error (`EACCES`), or an empty text. */
export const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')
