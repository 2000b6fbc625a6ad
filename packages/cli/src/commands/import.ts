import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { type ImportOptions, runImport } from '../transfer/run-import.ts'

export function importCommand(command: Command, cli: Cli): void {
  command
    .argument('<path>', 'file or folder of an export, - for stdin')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--prune', 'delete what the file does not have, of the kinds that it has')
    .option('--secrets <file>', 'YAML file with the values of secrets by name (default: the environment)')
    .option('-y, --yes', 'do not ask before deleting')
    .action((path: string, options: ImportOptions) => runImport(cli, path, options))
  withExamples(
    command,
    ['import millrace.yaml --dry-run', 'show the differences'],
    ['import config/', 'all YAML files of a folder'],
    ['import deployments.yaml --prune --yes', 'also delete other deployments'],
    ['import millrace.yaml -o json', 'the plan and its outcome as data'],
  )
}
