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
    name: 'flow-run',
    summary: 'List, inspect, watch, cancel and retry flow runs',
    heading: 'Runs',
    load: async () => (await import('./commands/flow-run.ts')).flowRunCommands,
  },
  {
    name: 'task-run',
    summary: 'List and inspect task runs',
    heading: 'Runs',
    load: async () => (await import('./commands/task-run.ts')).taskRunCommands,
  },
  {
    name: 'log',
    summary: 'Read and search logs',
    heading: 'Runs',
    load: async () => (await import('./commands/log.ts')).logCommands,
  },
  {
    name: 'artifact',
    summary: 'List and read artifacts',
    heading: 'Runs',
    load: async () => (await import('./commands/artifact.ts')).artifactCommands,
  },
  {
    name: 'flow',
    summary: 'List and inspect flows',
    heading: 'Workflows',
    load: async () => (await import('./commands/flow.ts')).flowCommands,
  },
  {
    name: 'deployment',
    summary: 'Run, pause and schedule deployments',
    heading: 'Workflows',
    load: async () => (await import('./commands/deployment.ts')).deploymentCommands,
  },
  {
    name: 'work-pool',
    summary: 'Manage work pools',
    heading: 'Capacity',
    load: async () => (await import('./commands/work-pool.ts')).workPoolCommands,
  },
  {
    name: 'work-queue',
    summary: 'Manage work queues',
    heading: 'Capacity',
    load: async () => (await import('./commands/work-queue.ts')).workQueueCommands,
  },
  {
    name: 'worker',
    summary: 'List workers',
    heading: 'Capacity',
    load: async () => (await import('./commands/worker.ts')).workerCommands,
  },
  {
    name: 'concurrency',
    summary: 'Manage concurrency limits',
    heading: 'Capacity',
    load: async () => (await import('./commands/concurrency.ts')).concurrencyCommands,
  },
  {
    name: 'automation',
    summary: 'Manage automations',
    heading: 'Automation',
    load: async () => (await import('./commands/automation.ts')).automationCommands,
  },
  {
    name: 'event',
    summary: 'Follow, list and emit events',
    heading: 'Automation',
    load: async () => (await import('./commands/event.ts')).eventCommands,
  },
  {
    name: 'variable',
    summary: 'Read and set variables',
    heading: 'Data',
    load: async () => (await import('./commands/variable.ts')).variableCommands,
  },
  {
    name: 'block',
    summary: 'Manage block types and block documents',
    heading: 'Data',
    load: async () => (await import('./commands/block.ts')).blockCommands,
  },
  {
    name: 'export',
    summary: 'Write deployments, pools, limits, variables, automations and blocks as YAML',
    heading: 'Data',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'import',
    summary: 'Create or change what a YAML file describes',
    heading: 'Data',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'server',
    summary: 'Start, stop and inspect a server',
    heading: 'Server',
    load: async () => (await import('./commands/server.ts')).serverCommands,
  },
  {
    name: 'dev',
    summary: 'Start a server for development',
    heading: 'Server',
    load: async () => (await import('./commands/dev.ts')).devCommand,
  },
  {
    name: 'db',
    summary: 'Migrate and measure the database',
    heading: 'Server',
    load: async () => (await import('./commands/db.ts')).dbCommands,
  },
  {
    name: 'backup',
    summary: 'Save the database while servers run',
    heading: 'Server',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'Restore a backup',
    heading: 'Server',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  {
    name: 'doctor',
    summary: 'Check the database and the server, and repair them',
    heading: 'Server',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'bench',
    summary: 'Measure how fast a server is',
    heading: 'Server',
    load: async () => (await import('./commands/bench.ts')).benchCommand,
  },
  {
    name: 'adopt',
    summary: 'Copy the database of a Prefect 3 server',
    heading: 'Server',
    load: async () => (await import('./commands/adopt.ts')).adoptCommand,
  },
  {
    name: 'retention',
    summary: 'Inspect and change retention',
    heading: 'Server',
    load: async () => (await import('./commands/retention.ts')).retentionCommands,
  },
  {
    name: 'secrets',
    summary: 'Manage the encryption key of blocks',
    heading: 'Server',
    load: async () => (await import('./commands/secrets.ts')).secretsCommands,
  },
  {
    name: 'config',
    summary: 'Show the settings and where they come from',
    heading: 'Command line',
    load: async () => (await import('./commands/config.ts')).configCommands,
  },
  {
    name: 'profile',
    summary: 'Switch between servers',
    heading: 'Command line',
    load: async () => (await import('./commands/profile.ts')).profileCommands,
  },
  {
    name: 'api',
    summary: 'Send a request to the API',
    heading: 'Command line',
    load: async () => (await import('./commands/api.ts')).apiCommand,
  },
  {
    name: 'completion',
    summary: 'Print a script for shell completion',
    heading: 'Command line',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
]
