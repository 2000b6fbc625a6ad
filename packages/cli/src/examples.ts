import type { Command } from 'commander'

type Example = readonly [line: string, note?: string]

const examplesByCommand = new WeakMap<Command, readonly Example[]>()

/** Adds examples to the help of a command: each a command line after `millrace`, with an optional note. */
export function withExamples(command: Command, ...examples: readonly Example[]): Command {
  examplesByCommand.set(command, examples)
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, note]) => `  millrace ${note ? `${line.padEnd(width)}  # ${note}` : line}`)
  if (!command.description()) command.description(`${command.summary()}.`)
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
}

export const examplesOf = (command: Command): readonly Example[] => examplesByCommand.get(command) ?? []
