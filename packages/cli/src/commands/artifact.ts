import { NotFoundError } from '@millrace/client/errors.ts'
import type { Artifact, ArtifactCollection } from '@millrace/contracts/artifact.ts'
import type { Command } from 'commander'
import { artifactLines } from '../artifact-text.ts'
import { inBatches } from '../batches.ts'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { itemNotFound } from '../find-item.ts'
import { parsePositive } from '../option-values.ts'
import { ageColumn, idColumn, wideIdColumn } from '../output/columns.ts'
import { countText } from '../output/count-text.ts'
import { momentField, printFields, printSection, valueLines } from '../output/details.ts'
import type { Column } from '../output/table.ts'
import { toSafeText, toSingleLine } from '../output/text-width.ts'
import { isId, readRunNames, resolveFlowRun } from '../resolve.ts'

type ArtifactRow = (Artifact | ArtifactCollection) & { readonly flow_run_name: string | undefined }

const contentColumns: readonly Column<ArtifactRow>[] = [
  { title: 'TYPE', value: ({ type }) => type },
  ageColumn('UPDATED', ({ updated }) => updated),
  { title: 'FLOW RUN', value: ({ flow_run_name }) => flow_run_name, isOptional: true },
  { title: 'DESCRIPTION', value: ({ description }) => description, isOptional: true },
]
const latestColumns: readonly Column<ArtifactRow>[] = [
  { title: 'KEY', value: ({ key }) => key, isFixed: true },
  ...contentColumns,
  { ...wideIdColumn, value: (artifact) => ('latest_id' in artifact ? artifact.latest_id : artifact.id) },
]
const versionColumns: readonly Column<ArtifactRow>[] = [idColumn, { title: 'KEY', value: ({ key }) => key }, ...contentColumns]

interface ListOptions {
  readonly all?: boolean
  readonly key?: string
  readonly type?: string[]
  readonly flowRun?: string
  readonly limit: number
}

export function artifactCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List the latest artifact of each key')
    .option('--all', 'all versions, and artifacts without a key')
    .option('--key <text>', 'only keys that contain this text')
    .option('--type <type...>', 'only these types: markdown, table, progress, link, image')
    .option('--flow-run <run>', 'only artifacts of this flow run, by name or id')
    .option('--limit <n>', 'maximum number', parsePositive, 50)
    .action(async ({ all, key, type, flowRun, limit }: ListOptions) => {
      const run = flowRun === undefined ? undefined : await resolveFlowRun(cli.client, flowRun)
      const artifacts = {
        ...(key && { key: { like_: key } }),
        ...(type && { type: { any_: type } }),
        ...(run && { flow_run_id: { any_: [run.id] } }),
      }
      const body = { artifacts, sort: 'UPDATED_DESC' as const }
      const { client } = cli
      const found: (Artifact | ArtifactCollection)[] = await (all
        ? Array.fromAsync(client.artifacts.listAll(body, { max: limit }))
        : Array.fromAsync(client.artifacts.listAllLatest(body, { max: limit })))
      if (cli.output.isStructured) return cli.output.data(found)
      await cli.output.list(await withRunNames(cli, found), all ? versionColumns : latestColumns, 'No artifacts.')
    })
  withExamples(list, ['artifact ls'], ['artifact ls --type table --all', 'all versions of tables'])

  const inspect = group
    .command('inspect')
    .summary('Print an artifact')
    .argument('<artifact>', 'key, for its latest version, or id')
    .option('--all', 'all versions of the key, newest first')
    .action(async (reference: string, { all }: { all?: boolean }) => {
      const artifacts = all ? await readVersions(cli, reference) : [await readArtifact(cli, reference)]
      if (cli.output.isStructured) return cli.output.data(all ? artifacts : artifacts[0])
      const rows = await withRunNames(cli, artifacts)
      for (const [index, artifact] of rows.entries()) {
        if (index > 0) cli.output.text('')
        showArtifact(cli, artifact)
      }
    })
  withExamples(inspect, ['artifact inspect daily-report'], ['artifact inspect daily-report --all -o json', 'all versions'])

  const remove = group
    .command('delete')
    .summary('Delete all versions of a key, or one version by its id')
    .argument('<artifact>', 'key or id')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const artifacts = isId(reference) ? [await readArtifact(cli, reference)] : await readVersions(cli, reference)
      const what = isId(reference) ? `artifact ${reference}` : `${countText(artifacts.length, 'version')} of artifact "${reference}"`
      await cli.confirm(`Delete ${what}?`, yes)
      const deleted = await inBatches(cli, artifacts, 'artifacts', deleteEach, 1)
      await cli.output.done(`Deleted ${what}.`, { deleted })
    })
  withExamples(remove, ['artifact delete daily-report'], ['artifact delete 0196f3a2-6f0e-7c43-9d2b-5a7c1f1e2d3c --yes', 'one version'])

  async function deleteEach(artifacts: readonly Artifact[]): Promise<string[]> {
    for (const { id } of artifacts) await cli.client.artifacts.delete(id)
    return artifacts.map(({ id }) => id)
  }
}

async function readArtifact(cli: Cli, reference: string): Promise<Artifact> {
  if (!isId(reference)) return (await readVersions(cli, reference, 1))[0] as Artifact
  try {
    return await cli.client.artifacts.read(reference)
  } catch (error) {
    throw error instanceof NotFoundError ? artifactNotFound(reference) : error
  }
}

/** The versions of a key, newest first. The latest artifact of a key has another id in the API, so it is read from here too. */
async function readVersions(cli: Cli, key: string, max = Number.POSITIVE_INFINITY): Promise<Artifact[]> {
  const body = { artifacts: { key: { any_: [key] } }, sort: 'CREATED_DESC' as const }
  const artifacts = await Array.fromAsync(cli.client.artifacts.listAll(body, { max, signal: cli.io.signal }))
  if (artifacts.length === 0) throw artifactNotFound(key)
  return artifacts
}

const artifactNotFound = (reference: string) => itemNotFound({ noun: 'Artifact', name: toSingleLine(reference), list: 'artifact ls' })

async function withRunNames<T extends Artifact | ArtifactCollection>(
  cli: Cli,
  artifacts: readonly T[],
): Promise<(T & { readonly flow_run_name: string | undefined })[]> {
  const names = await readRunNames(
    cli.client,
    artifacts.map(({ flow_run_id }) => flow_run_id),
  )
  return artifacts.map((artifact) => ({ ...artifact, flow_run_name: names.get(artifact.flow_run_id ?? '') }))
}

const fields: readonly Column<ArtifactRow>[] = [
  { title: 'Key', value: ({ key }) => key },
  { title: 'ID', value: ({ id }) => id },
  { title: 'Type', value: ({ type }) => type },
  { title: 'Flow run', value: ({ flow_run_name, flow_run_id }) => (flow_run_id ? `${flow_run_name ?? '?'} (${flow_run_id})` : null) },
  { title: 'Task run', value: ({ task_run_id }) => task_run_id },
  momentField('Created', ({ created }) => created),
  momentField('Updated', ({ updated }) => updated),
]

function showArtifact(cli: Cli, artifact: ArtifactRow): void {
  const { stdout } = cli.io
  printFields(cli, artifact, fields)
  if (artifact.description) printSection(cli, 'Description', toSafeText(artifact.description).split('\n'))
  const metadata = Object.fromEntries(Object.entries(artifact.metadata_ ?? {}).filter(([name]) => name !== 'description'))
  printSection(cli, 'Metadata', valueLines(metadata))
  const width = stdout.isTTY ? stdout.columns || 80 : undefined
  cli.output.text(['', ...artifactLines(artifact, cli.output.style, width)].join('\n'))
}
