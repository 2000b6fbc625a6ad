import { Readable } from 'node:stream'
import { buildProgram } from '../../packages/cli/src/build-program.ts'
import type { Io } from '../../packages/cli/src/io.ts'
import { expandArguments } from '../../packages/cli/src/program.ts'
import type { UsageCommand } from '../../packages/cli/src/usage-command.ts'

/** Returns why `millrace` rejects a command line, or undefined. Nothing is executed. */
export type RejectCommand = (args: readonly string[]) => Promise<string | undefined>

/** Parses command lines with the real definitions of all commands. */
export async function commandLineParser(): Promise<RejectCommand> {
  let printed = ''
  const sink = { write: (text: string) => (printed += text) }
  const io: Io = { stdout: sink, stderr: sink, stdin: Readable.from([]), env: {}, signal: new AbortController().signal }
  const { program } = await buildProgram(io, 'all')
  for (const leaf of leavesOf(program)) leaf.action(() => {})
  return async (args) => {
    printed = ''
    try {
      await program.parseAsync(expandArguments(args), { from: 'user' })
      return undefined
    } catch (error) {
      // Help and version end with 0.
      if ((error as { exitCode?: number }).exitCode === 0) return undefined
      return (printed || (error as Error).message).trim()
    }
  }
}

type Command = UsageCommand['commands'][number]

const leavesOf = (command: Command): Command[] => (command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf))
