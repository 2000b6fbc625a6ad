import { expect, test } from 'vitest'
import { ProgressLine } from './progress-line.ts'

function createProgressLine(isTTY: boolean) {
  let now = 0
  let output = ''
  const line = new ProgressLine({ isTTY, write: (text: string) => (output += text) }, { now: () => now })
  return { line, after: (seconds: number) => (now += seconds * 1_000_000), output: () => output }
}

test('writes one line per noun with rows if the output is not a terminal', () => {
  const { line, output } = createProgressLine(false)
  line.onStart(1234, 0)
  line.onCopied('flows', 34)
  line.onCopied('schedules', 0)
  line.onCopied('flow runs', 1000)
  line.onCopied('flow runs', 200)
  line.end()
  expect(output()).toBe('1,234 rows to copy\nflows: 34\nflow runs: 1,200\n')
  expect(line.copiedNow).toBe(1234)
})

test('draws a bar on a terminal at a limited rate and removes it at the end', () => {
  const { line, after, output } = createProgressLine(true)
  line.onStart(400, 100)
  after(1)
  line.onCopied('logs', 100)
  line.onCopied('logs', 1)
  expect(output().match(/█/g)).toHaveLength(15)
  expect(output()).toContain('50 %  logs  (100 rows per second, 2 s left)')
  line.end()
  expect(output().endsWith('\r\u001b[2K')).toBe(true)
})
