import type { Command } from 'commander'

/** Adds examples to the help of a command: each a command line after `millrace`, with an optional note. */
export function withExamples(command: Command, ...examples: readonly (readonly [line: string, note?: string])[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, note]) => `  millrace ${note ? `${line.padEnd(width)}  # ${note}` : line}`)
  if (!command.description()) command.description(`${command.summary()}.`)
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
}
