import { expect, test } from 'vitest'
import { Progress, type ProgressOptions } from './progress.ts'

function createProgress(isTTY: boolean, options: Partial<ProgressOptions> & { columns?: number } = {}) {
  let now = 0
  let output = ''
  const sink = { isTTY, columns: options.columns ?? 120, write: (text: string) => (output += text) }
  const progress = new Progress(sink, { unit: 'rows', total: 400, nowMs: () => now, ...options })
  return { progress, after: (seconds: number) => (now += seconds * 1000), output: () => output }
}

test('writes one line per stage with units if the output is not a terminal', () => {
  const { progress, output } = createProgress(false)
  progress.advance('flows', 34)
  progress.advance('schedules', 0)
  progress.advance('flow runs', 1000)
  progress.advance('flow runs', 200)
  progress.end()
  expect(output()).toBe('flows: 34\nflow runs: 1,200\n')
  expect(progress.done).toBe(1234)
})

test('draws a bar on a terminal at a limited rate and removes it at the end', () => {
  const { progress, after, output } = createProgress(true, { alreadyDone: 100 })
  after(1)
  progress.advance('logs', 100)
  progress.advance('logs', 1)
  expect(output().match(/█/g)).toHaveLength(15)
  expect(output()).toContain('50 %  logs  (100 rows per second, 2s left)')
  progress.end()
  expect(output().endsWith('\r\u001b[2K')).toBe(true)
})

test('shortens the bar to the width of the terminal', () => {
  const { progress, after, output } = createProgress(true, { columns: 50 })
  after(1)
  progress.advance('automation rollups of the last days', 100)
  expect(output()).toBe(`\r\u001b[2K${'█'.repeat(8)}${'░'.repeat(22)} 25 %  automation …`)
})

test('shows a finished bar for work without units', () => {
  const { progress, after, output } = createProgress(true, { total: 0 })
  after(1)
  progress.advance('flows', 0)
  expect(output()).toContain('100 %  flows  (0 rows per second)')
})
