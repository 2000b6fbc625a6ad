import { expect, test } from 'vitest'
import { ProgressLine } from './progress-line.ts'

function createProgressLine(isTTY: boolean) {
  let now = 0
  let said = ''
  const line = new ProgressLine({ isTTY, write: (text: string) => (said += text) }, { now: () => now })
  return { line, after: (seconds: number) => (now += seconds * 1_000_000), said: () => said }
}

test('where nobody watches there is a line for each noun that had rows', () => {
  const { line, said } = createProgressLine(false)
  line.onStart(1234, 0)
  line.onCopied('flows', 34)
  line.onCopied('schedules', 0)
  line.onCopied('flow runs', 1000)
  line.onCopied('flow runs', 200)
  line.end()
  expect(said()).toBe('1,234 rows to copy\nflows: 34\nflow runs: 1,200\n')
  expect(line.copiedNow).toBe(1234)
})

test('on a terminal a bar moves, not more often than one can read, and goes away', () => {
  const { line, after, said } = createProgressLine(true)
  line.onStart(400, 100)
  after(1)
  line.onCopied('logs', 100)
  line.onCopied('logs', 1)
  expect(said().match(/█/g)).toHaveLength(15)
  expect(said()).toContain('50 %  logs  (100 rows a second, 2 s left)')
  line.end()
  expect(said().endsWith('\r\u001b[2K')).toBe(true)
})
