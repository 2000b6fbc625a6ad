import { ApiError } from '../../errors.ts'

/** Why a channel ends, in the words that workers look for, with the code that goes with it. 1008 and 1002 are final for a worker, 1011 is not. */
const closeCodeByReason = {
  authorization_failed: 1008,
  unsupported_version: 1008,
  protocol_error: 1002,
  heartbeat_persistence_failed: 1011,
  transient_server_error: 1011,
} as const

export class ChannelError extends Error {
  readonly reason: keyof typeof closeCodeByReason

  constructor(reason: keyof typeof closeCodeByReason, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** How to end a channel after an error; a request that would have been refused over HTTP is no use here either. */
export function toCloseFrame(error: unknown): { code: number; reason: string } {
  const isRefused = error instanceof ApiError && error.status < 500
  const reason = error instanceof ChannelError ? error.reason : isRefused ? 'protocol_error' : 'transient_server_error'
  return { code: closeCodeByReason[reason], reason }
}
