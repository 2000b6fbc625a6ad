import { expect } from 'vitest'

const patienceSeconds = 40

/** What is so before long. `expect.poll` gives up after a second, which a busy machine needs for less than this. */
export const soon = <T>(read: () => T, message?: string) =>
  expect.poll(read, { timeout: patienceSeconds * 1000, ...(message !== undefined && { message }) })
