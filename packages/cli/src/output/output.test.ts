import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseJson } from '../../../client/src/json.ts'
import { Output, type OutputFormat } from './output.ts'
import type { Column } from './table.ts'

interface Item {
  readonly id: number
  readonly name: string
}

const columns: readonly Column<Item>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'ID', value: ({ id }) => id, isWide: true },
]

function createOutput(format: OutputFormat, { env = {}, columns: width }: { env?: Record<string, string>; columns?: number } = {}) {
  let [stdout, stderr] = ['', '']
  const terminal = width === undefined ? {} : { isTTY: true, columns: width }
  const io = {
    stdout: { ...terminal, write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    stdin: Readable.from([]),
    env,
    signal: new AbortController().signal,
  }
  return { output: new Output(io, format, true), stdout: () => stdout, stderr: () => stderr }
}

test('prints wide columns with -o wide only', async () => {
  const table = createOutput('table')
  await table.output.list([{ id: 1, name: 'a' }], columns, 'None.')
  expect(table.stdout()).toBe('NAME\na\n')
  const wide = createOutput('wide')
  await wide.output.item({ id: 1, name: 'a' }, columns)
  expect(wide.stdout()).toBe('NAME  a\nID    1\n')
})

test('prints an empty list as a note, or as an empty list of JSON and YAML', async () => {
  const table = createOutput('table')
  await table.output.list([], columns, 'None.')
  expect([table.stdout(), table.stderr()]).toEqual(['', 'None.\n'])
  for (const format of ['json', 'yaml'] as const) {
    const { output, stdout } = createOutput(format)
    await output.list([], columns, 'None.')
    expect(stdout()).toBe('[]\n')
  }
})

test('prints integers above 2⁵³ exactly', async () => {
  const value = parseJson('{"n": 12345678901234567890}')
  for (const format of ['json', 'yaml'] as const) {
    const { output, stdout } = createOutput(format)
    await output.data(value)
    expect(stdout()).toContain('12345678901234567890')
    expect(stdout()).not.toContain('rawJSON')
  }
})

test('escapes control characters in JSON and YAML so that they read back unchanged', async () => {
  const value = { text: 'a\u001b[31m\u009b\u007f', lines: 'a\nb\n' }
  const json = createOutput('json')
  await json.output.data(value)
  expect(JSON.parse(json.stdout())).toEqual(value)
  const yaml = createOutput('yaml')
  await yaml.output.data(value)
  expect(parse(yaml.stdout())).toEqual(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: must not occur
  for (const { stdout } of [json, yaml]) expect(stdout()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('prints the message of a command to a person and its item to a program', async () => {
  const table = createOutput('table')
  await table.output.done('Deleted "a\u001b[2J".', { id: 1 })
  expect(table.stdout()).toBe('Deleted "a�[2J".\n')
  const json = createOutput('json')
  await json.output.done('Deleted.', { id: 1 })
  expect(JSON.parse(json.stdout())).toEqual({ id: 1 })
})

test('uses colours on a terminal, unless NO_COLOR is set, and elsewhere if FORCE_COLOR is set', () => {
  const styled = (...args: Parameters<typeof createOutput>) => createOutput(...args).output.style('red', 'x')
  expect(styled('table', { columns: 80 })).toBe('\u001b[31mx\u001b[39m')
  expect(styled('table', { columns: 80, env: { NO_COLOR: '1' } })).toBe('x')
  expect(styled('table', { columns: 80, env: { TERM: 'dumb' } })).toBe('x')
  expect(styled('table')).toBe('x')
  expect(styled('table', { env: { FORCE_COLOR: '1' } })).toBe('\u001b[31mx\u001b[39m')
})

test.each([
  'a\u202eb',
  'x\u009b1mb',
  'two\nlines \u2066 and \u0085',
  'a\u200eb: \u061c',
  '\u2028',
  `${'word '.repeat(60)}\u202e ${'word '.repeat(60)}`,
])('escapes control characters and direction marks in JSON and YAML: %j', async (text) => {
  for (const format of ['json', 'yaml'] as const) {
    const { output, stdout } = createOutput(format)
    await output.data({ [text]: [text] })
    expect(stdout()).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
    expect(parse(stdout())).toEqual({ [text]: [text] })
  }
})
