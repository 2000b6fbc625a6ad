import type { Cli } from '../cli.ts'
import { CommandError, describeClientError } from '../errors.ts'
import { type ExitCodeName, exitCodes } from '../exit-codes.ts'
import { escapeControlCharacters, toSingleLine } from '../output/text-width.ts'
import { createKinds } from './all-kinds.ts'
import { applyPlan } from './apply-plan.ts'
import { checkFiles, type ImportContent } from './check-files.ts'
import { formatPlan, summarize, toJsonText, toPlanData } from './format-plan.ts'
import { type Plan, planImport } from './plan.ts'
import { failWith } from './problems.ts'
import { readFiles } from './read-files.ts'
import { askSecrets, readSecretValues } from './secret-values.ts'
import { placeholderNames } from './secrets.ts'
import { createServerState } from './server-connection.ts'
import type { ServerState } from './server-state.ts'
import { writeYaml } from './yaml-writer.ts'

export interface ImportOptions {
  readonly dryRun?: boolean
  readonly prune?: boolean
  readonly secrets?: string
  readonly yes?: boolean
}

/** Reads files, compares them with the server, shows the differences and applies them. */
export async function runImport(cli: Cli, path: string, { dryRun = false, prune = false, secrets, yes }: ImportOptions): Promise<void> {
  const values = new Map<string, unknown>()
  const kinds = createKinds({ isIncluded: false, values })
  const content = checkFiles(await readFiles(path, cli.io), kinds)
  if (content.problems.length > 0) failWith(content.problems)
  const names = [...content.items.values()].flat().flatMap(({ item }) => placeholderNames(item))
  for (const [name, value] of await readSecretValues(names, secrets, cli.io)) values.set(name, value)

  const server = createServerState(cli)
  let plan = await planImport(server, kinds, content, { prune })
  if (plan.missingSecrets.length > 0 && !dryRun && content.problems.length === 0) {
    for (const [name, value] of await completeSecrets(cli, plan, content)) values.set(name, value)
    plan = await planImport(server, kinds, content, { prune })
  }
  if (content.problems.length > 0) failWith(content.problems)

  const notes = [...new Set([...content.notes, ...plan.missingSecrets.map(({ name }) => `The secret ${name} has no value yet.`)])]
  const isStructured = cli.output.isStructured
  if (!isStructured) {
    if (plan.steps.length > 0) cli.output.text(formatPlan(plan, cli.output.style))
    for (const note of notes) cli.output.note(`Note: ${toSingleLine(note)}`)
  }
  const finish = () => isStructured && printData(cli, toPlanData(plan, { dry_run: dryRun, notes }))
  if (dryRun) {
    if (!isStructured) cli.output.text(planSummary(plan))
    finish()
    return
  }
  const deletions = plan.steps.filter(({ action }) => action === 'delete').length
  if (deletions > 0) await cli.confirm(`Delete ${deletions === 1 ? '1 item' : `${deletions} items`}?`, yes)
  await applyAndReport(cli, server, plan, finish)
}

/** Asks for the values of secrets, or fails if nobody can answer. */
async function completeSecrets(cli: Cli, { missingSecrets }: Plan, content: ImportContent): Promise<ReadonlyMap<string, unknown>> {
  const { io } = cli
  if (io.stdin.isTTY && io.stderr.isTTY) return askSecrets([...new Set(missingSecrets.map(({ name }) => name))], io)
  for (const { name, wanted } of missingSecrets)
    wanted.problem(['data'], `The secret ${name} has no value. Set the environment variable ${name}, or pass a file with --secrets.`)
  return failWith(content.problems)
}

async function applyAndReport(cli: Cli, server: ServerState, plan: Plan, finish: () => void): Promise<void> {
  const progress = cli.io.stderr.isTTY ? cli.progress({ unit: 'items', total: plan.steps.length }) : undefined
  let stop: unknown
  try {
    await applyPlan(server, plan, () => progress?.advance('Importing', 1))
  } catch (error) {
    stop = error
  } finally {
    progress?.end()
  }
  finish()
  const failed = plan.steps.filter(({ status }) => status === 'failed')
  if (failed.length === 0 && stop === undefined) {
    if (!cli.output.isStructured) cli.output.text(outcomeSummary(plan))
    return
  }
  if (cli.io.signal.aborted) cli.output.note(failureText(plan, 'interrupted.'))
  cli.io.signal.throwIfAborted()
  const known = stop === undefined ? undefined : describeClientError(stop, cli.connection.url)
  if (stop !== undefined && !known) throw stop
  const kind = (Object.entries(exitCodes).find(([, code]) => code === known?.exitCode)?.[0] ?? 'failed') as ExitCodeName
  throw new CommandError(failureText(plan, known?.message), kind)
}

function failureText(plan: Plan, reason: string | undefined): string {
  const { steps } = plan
  const lines = (status: 'failed' | 'skipped') =>
    steps
      .filter((step) => step.status === status)
      .map(({ action, kind, name, error }) => `${action} ${kind.noun} "${name}"${error ? `: ${error}` : ''}`)
  const failed = lines('failed')
  const skipped = lines('skipped')
  return [
    reason === undefined ? `The server rejected ${failed.length} of ${steps.length} changes.` : `The import stopped: ${reason}`,
    ...failed.map((line) => `  failed: ${toSingleLine(line)}`),
    ...skipped.slice(0, 20).map((line) => `  not applied: ${toSingleLine(line)}`),
    ...(skipped.length > 20 ? [`  … and ${skipped.length - 20} more not applied`] : []),
    `${steps.length - failed.length - skipped.length} changes were applied. Run the command again to continue.`,
  ].join('\n')
}

function planSummary(plan: Plan): string {
  const { create, change, delete: remove, unchanged } = summarize(plan)
  if (plan.steps.length === 0) return `No changes. ${unchanged} unchanged.`
  return `Dry run: ${create} to create, ${change} to change, ${remove} to delete, ${unchanged} unchanged. Nothing was changed.`
}

function outcomeSummary(plan: Plan): string {
  const { create, change, delete: remove, unchanged } = summarize(plan)
  if (plan.steps.length === 0) return `No changes. ${unchanged} unchanged.`
  return `${create} created, ${change} changed, ${remove} deleted, ${unchanged} unchanged.`
}

/** Numbers keep their spelling and keys their order in both formats. */
const printData = (cli: Cli, data: object): void =>
  cli.output.text(cli.output.format === 'yaml' ? writeYaml(data).trimEnd() : escapeControlCharacters(toJsonText(data, 2)))
