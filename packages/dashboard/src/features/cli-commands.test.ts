import { expect, test } from 'vitest'
import { workerCommand } from './cli-commands.ts'

test('quotes names for a shell', () => {
  expect(workerCommand('my-pool')).toBe('prefect worker start --pool my-pool')
  expect(workerCommand("Ada's pool", 'fast lane')).toBe("prefect worker start --pool 'Ada'\\''s pool' --work-queue 'fast lane'")
})
