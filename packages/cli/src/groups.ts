import type { Command } from 'commander'
import type { Cli } from './cli.ts'

/** Adds the subcommands of a group, or the arguments and the action of a single command. */
export type DefineCommands = (group: Command, cli: Cli) => void

export interface CommandGroup {
  readonly name: string
  readonly summary: string
  /** Heading of the root help. */
  readonly heading: 'Runs' | 'Workflows' | 'Capacity' | 'Data' | 'Automation' | 'Server' | 'Command line'
  readonly load: () => Promise<DefineCommands>
}

/** All commands. Each is loaded when it runs: loading all of them takes longer than most of them run. */
export const commandGroups: readonly CommandGroup[] = [
  {
    name: 'variable',
    summary: 'Read and set variables',
    heading: 'Data',
    load: async () => (await import('./commands/variable.ts')).variableCommands,
  },
]
