import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closestMatch } from '@millrace/server/config/closest-match.ts'
import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { type KindKey, kindKeys } from '../transfer/all-kinds.ts'
import { type ExportContent, exportItems, exportText } from '../transfer/export-items.ts'
import { createServerState } from '../transfer/server-connection.ts'

interface ExportFlags {
  readonly file?: string
  readonly dir?: string
  readonly includeSecrets?: boolean
}

const kindNames = kindKeys.map((key) => key.replaceAll('_', '-'))

export function exportCommand(command: Command, cli: Cli): void {
  command
    .argument('[kind...]', `what to export (default: all): ${kindNames.join(', ')}`, collectKind)
    .option('--file <path>', 'file to write, - for stdout (default: stdout)')
    .option('--dir <path>', 'folder to write, one file per kind')
    .option('--include-secrets', 'write the secrets of block documents instead of placeholders')
    .action(async (kinds: readonly KindKey[], { file, dir, includeSecrets = false }: ExportFlags) => {
      if (file !== undefined && dir !== undefined) throw new UsageError('Give either --file or --dir.')
      const isWritten = dir !== undefined || (file !== undefined && file !== '-')
      if (!isWritten && cli.output.isStructured) throw new UsageError('An export is YAML. -o applies to the summary of --file and --dir.')
      const content = await exportItems(createServerState(cli), { keys: kinds.length === 0 ? undefined : kinds, includeSecrets })
      if (!isWritten) return void cli.io.stdout.write(exportText(content))
      const mode = includeSecrets ? 0o600 : 0o644
      const files = dir === undefined ? [writeExport(file as string, content, mode)] : writeFolder(dir, content, mode)
      const counts = Object.fromEntries([...content].map(([key, value]) => [key, Array.isArray(value) ? value.length : value === null ? 0 : 1]))
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
      await cli.output.done(`Exported ${total} items to ${dir ?? file}.`, { files, counts })
    })
  withExamples(
    command,
    ['export --file millrace.yaml', 'everything, secrets as placeholders'],
    ['export deployments work-pools', 'some kinds, to stdout'],
    ['export --dir config/', 'one file per kind, for version control'],
    ['export block-documents --include-secrets --file blocks.yaml', 'readable by the owner only'],
  )
}

/** Collects the kinds of the command line. `deployments`, `deployment`, `work-pools` and `work_pools` are accepted. */
function collectKind(text: string, collected: readonly KindKey[] = []): KindKey[] {
  const key = text.toLowerCase().replaceAll('-', '_')
  const found = kindKeys.find((known) => known === key || known === `${key}s` || known === `${key}es`)
  if (found) return [...collected, found]
  const meant = closestMatch(text, kindNames)
  throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `The kinds are ${kindNames.join(', ')}.`)
}

function writeFolder(dir: string, content: ExportContent, mode: number): string[] {
  mkdirSync(dir, { recursive: true })
  return [...content].map(([key, value]) => writeExport(join(dir, `${key}.yaml`), new Map([[key, value]]), mode))
}

/** Replaces the file at once, so that a reader never sees half of it. */
function writeExport(path: string, content: ExportContent, mode: number): string {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, exportText(content), { mode })
    chmodSync(temporary, mode)
    renameSync(temporary, path)
  } catch (error) {
    throw new CommandError(`Cannot write ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
  return path
}
