import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { logText } from './log-text.ts'
import { levelOf, loggerOptions, logLevelsProblem } from './logger.ts'

const configOf = (env: Record<string, string>) => readConfig(env, []).config
const time = Date.UTC(2030, 0, 1, 12, 30, 5, 250)

test('writes a line for people with the room, the fields and the stack of an error', () => {
  const line = { level: 30, time, pid: 1, hostname: 'host', room: 'services', service: 'scheduler', scheduled: 3, msg: 'scheduler finished a pass' }
  expect(logText(line, false)).toBe('12:30:05.250 INFO  services scheduler finished a pass service=scheduler scheduled=3\n')
  const failed = { level: 50, time, msg: 'failed', err: { message: 'no', stack: 'Error: no\n    at here' } } as never
  expect(logText(failed, false)).toBe('12:30:05.250 ERROR failed\nError: no\n    at here\n')
  expect(logText(line, true)).toContain('\u001b[32mINFO \u001b[0m')
})

test('escapes control characters, so that a value cannot move the cursor or fake a line', () => {
  const line = { level: 40, time, msg: 'run \u001b[2J', name: 'a\u0007b' } as never
  expect(logText(line, false)).toBe('12:30:05.250 WARN  run \\u001b[2J name=a\\u0007b\n')
  const twoLines = { level: 30, time, msg: 'one\n12:30:05.250 INFO  two', name: 'a\nb' } as never
  expect(logText(twoLines, false)).toBe('12:30:05.250 INFO  one\\u000a12:30:05.250 INFO  two name=a\\u000ab\n')
})

test('writes text on a terminal and JSON otherwise, unless the setting says more', () => {
  const write = (format: string, isTerminal: boolean) => {
    let written = ''
    const options = loggerOptions(configOf({ MILLRACE_SERVER_LOG_FORMAT: format }), undefined, {
      isTerminal,
      write: (text) => (written += text),
    }) as {
      stream?: { write(json: string): void }
    }
    options.stream?.write(`${JSON.stringify({ level: 30, time, msg: 'ready' })}\n`)
    return written
  }
  expect(write('auto', true)).toContain('ready\n')
  expect(write('text', false)).toBe('12:30:05.250 INFO  ready\n')
  // Pino writes JSON itself.
  expect(write('auto', false)).toBe('')
  expect(write('json', true)).toBe('')
})

test('has a level for each room and explains a wrong one', () => {
  const config = configOf({ MILLRACE_SERVER_LOG_LEVEL: 'warn', MILLRACE_SERVER_LOG_LEVELS: 'http=debug,services=error' })
  expect([levelOf(config, 'server'), levelOf(config, 'http'), levelOf(config, 'services')]).toEqual(['warn', 'debug', 'error'])
  expect(logLevelsProblem(config)).toBeUndefined()
  for (const wrong of ['kitchen=debug', 'http=loud', 'http'])
    expect(logLevelsProblem(configOf({ MILLRACE_SERVER_LOG_LEVELS: wrong }))).toContain(`"${wrong}" is not one of`)
})
