import { expect } from 'vitest'

const timeoutSeconds = 40

/** What is so before long. `expect.poll` gives up after a second, which a busy machine needs for less than this. */
export const eventually = <T>(read: () => T, message?: string) =>
  expect.poll(read, { timeout: timeoutSeconds * 1000, ...(message !== undefined && { message }) })
