import { ApiError, ConnectionError, ForbiddenError, NotFoundError, TimeoutError, UnauthorizedError } from '@millrace/client/errors.ts'
import { StartupError } from '@millrace/server/lib/startup-error.ts'
import { type ExitCodeName, exitCodes } from './exit-codes.ts'

/** An error with a message for the user and an exit code. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, kind: ExitCodeName | number = 'failed') {
    super(message)
    this.exitCode = typeof kind === 'number' ? kind : exitCodes[kind]
  }
}

/** The command line is not valid. */
export class UsageError extends CommandError {
  override name = 'UsageError'

  constructor(message: string) {
    super(message, 'usage')
  }
}

interface ErrorDescription {
  readonly message: string
  readonly exitCode: number
  /** Messages of the start-up code look the same from the server and from a command. */
  readonly hasHeading: boolean
}

/** Message and exit code of any error. */
export function describeError(error: unknown, url: string): ErrorDescription {
  if (error instanceof StartupError) return { message: error.message, exitCode: error.exitCode, hasHeading: false }
  const known = describeClientError(error, url)
  if (known) return { message: known.message, exitCode: known.exitCode, hasHeading: true }
  const message = error instanceof Error ? error.message : String(error)
  return {
    message: `${message}\nThis is a defect of Millrace. MILLRACE_DEBUG=1 shows where it happened.`,
    exitCode: exitCodes.failed,
    hasHeading: true,
  }
}

/** Message and exit code of an error of the client. Returns undefined for an error that is a defect of the command. */
export function describeClientError(error: unknown, url: string): CommandError | undefined {
  if (error instanceof CommandError) return error
  if (error instanceof ConnectionError) {
    return new CommandError(
      `${error.message}. Start a server with \`millrace server start\`, or name another one with --server or MILLRACE_API_URL.`,
      'serverUnreachable',
    )
  }
  if (error instanceof TimeoutError) return new CommandError(error.message, 'serverUnreachable')
  // The server's own 403 says what cannot be done, whatever the credentials. A proxy's has no code.
  if (error instanceof UnauthorizedError || (error instanceof ForbiddenError && error.code === '')) {
    return new CommandError(
      `${url} rejected the credentials: ${error.message}. Set MILLRACE_API_AUTH_STRING or MILLRACE_API_KEY, or use a profile.`,
      'unauthorized',
    )
  }
  if (!(error instanceof ApiError)) return undefined
  return new CommandError(
    error.requestId ? `${error.message} (request ${error.requestId})` : error.message,
    error instanceof NotFoundError ? 'notFound' : 'failed',
  )
}
