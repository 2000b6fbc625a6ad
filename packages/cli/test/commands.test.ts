import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../src/build-program.ts'
import { examplesOf } from '../src/examples.ts'
import { splitShellWords } from './shell-words.ts'

let output = ''
const sink = { write: (text: string) => (output += text) }
const io = { stdout: sink, stderr: sink, stdin: Readable.from([]), env: {}, signal: new AbortController().signal }

const { program } = await buildProgram(io, 'all')

const nameOf = (command: Command): string => (command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name())

const leavesOf = (command: Command): Command[] => (command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf))

const leaves = leavesOf(program)

test('every group and command has a summary, which is a sentence without its full stop', () => {
  const summaries = [...program.commands, ...program.commands.flatMap(({ commands }) => commands), ...leaves].map((command) => [
    nameOf(command),
    command.summary(),
  ])
  expect(summaries.filter(([, summary = '']) => !/^[A-Z].*[^.]$/.test(summary))).toEqual([])
})

test('every option and argument of a command is described', () => {
  const undescribed = leaves.flatMap((leaf) =>
    leaf.options.filter(({ description }) => description === '').map(({ flags }) => `${nameOf(leaf)} ${flags}`),
  )
  expect(undescribed).toEqual([])
})

test.each(leaves.map((leaf) => [nameOf(leaf), leaf] as const))('%s has examples that it accepts', async (name, leaf) => {
  const examples = examplesOf(leaf)
  expect(examples).not.toEqual([])
  let accepted = 0
  leaf.action(() => {
    accepted += 1
  })
  for (const [line] of examples) {
    expect(line.startsWith(name)).toBe(true)
    output = ''
    await program.parseAsync(splitShellWords(line), { from: 'user' }).catch(() => expect.fail(`millrace ${line}\n${output}`))
  }
  expect(accepted).toBe(examples.length)
})

test('no two options of a command and the program have the same name', () => {
  const globals = new Set(program.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined))
  const hidden = leaves.flatMap((leaf) =>
    leaf.options
      .filter(({ short, long }) => globals.has(short as string) || globals.has(long as string))
      .map(({ flags }) => `${nameOf(leaf)} ${flags}`),
  )
  expect(hidden).toEqual([])
})
