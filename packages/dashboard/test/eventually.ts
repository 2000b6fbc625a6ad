import { expect } from 'vitest'

const timeoutSeconds = 40

/** Polls until the assertion holds. The default timeout of `expect.poll` is one second, too short for a busy machine. */
export const eventually = <T>(read: () => T, message?: string) =>
  expect.poll(read, { timeout: timeoutSeconds * 1000, ...(message !== undefined && { message }) })
