import { NotFoundError } from '@millrace/client/errors.ts'
import type { Variable } from '@millrace/contracts/variable.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { findItem } from '../find-item.ts'
import { parseCount, parseJsonOrText } from '../option-values.ts'
import { ageColumn, nameColumn, tagsColumn, wideIdColumn } from '../output/columns.ts'
import type { Column } from '../output/table.ts'
import { toSafeText } from '../output/text-width.ts'
import { readInputText } from '../read-input.ts'
import { resolveVariable } from '../resolve.ts'

const columns: readonly Column<Variable>[] = [
  { ...nameColumn, isFixed: true },
  { title: 'VALUE', value: ({ value }) => JSON.stringify(value) },
  tagsColumn,
  ageColumn('UPDATED', ({ updated }) => updated),
  wideIdColumn,
]

interface ListOptions {
  readonly name?: string
  readonly tag?: string[]
  readonly limit: number
}

interface SetOptions {
  readonly file?: string
  readonly tag?: string[]
}

export function variableCommands(group: Command, cli: Cli): void {
  /** Values are user data: `1.0` is shown as it was set. */
  const exactClient = () => cli.createClient({ exactNumbers: true })
  const find = (reference: string): Promise<Variable> =>
    findItem({ noun: 'Variable', name: reference, list: 'variable ls' }, () => resolveVariable(exactClient(), reference))

  const list = group
    .command('ls')
    .summary('List variables')
    .description('List variables by name, with their values as JSON.')
    .option('--name <text>', 'only names that contain this text')
    .option('--tag <tag...>', 'only variables with all these tags')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ name, tag, limit }: ListOptions) => {
      const variables = { ...(name && { name: { like_: name } }), ...(tag && { tags: { all_: tag } }) }
      const found = await collectItems(cli, limit, (options) => exactClient().variables.listAll({ variables }, options))
      await cli.output.list(found, columns, 'No variables.')
    })
  withExamples(list, ['variable ls'], ['variable ls --tag prod -o json', 'with all fields'])

  const get = group
    .command('get')
    .alias('inspect')
    .summary('Print the value of a variable')
    .description('Print the value of a variable: text as it is, everything else as JSON. With -o json or yaml, the whole variable.')
    .argument('<name>', 'name or id')
    .action(async (reference: string) => {
      const variable = await find(reference)
      if (cli.output.isStructured) return cli.output.data(variable)
      const text = typeof variable.value === 'string' ? variable.value : JSON.stringify(variable.value)
      // Another program gets the value unchanged.
      cli.output.text(cli.io.stdout.isTTY ? toSafeText(text) : text)
    })
  withExamples(get, ['variable get region'])

  const set = group
    .command('set')
    .summary('Create or change a variable')
    .description('Create a variable, or change its value. A value that is JSON is stored as JSON, any other one as text.')
    .argument('<name>', 'lower-case letters, digits, dashes and underscores')
    .argument('[value]', 'JSON, or text that is not JSON')
    .option('--file <path>', 'read the value from a file, - for stdin, without the line break at its end')
    .option('--tag <tag...>', 'tags, which replace the present ones')
    .action(async (name: string, value: string | undefined, { file, tag }: SetOptions) => {
      if ((value === undefined) === (file === undefined)) throw new UsageError('Give either a value or --file.')
      if (name === '') throw new UsageError('The name of a variable cannot be empty.')
      const text = value ?? (await readInputText(cli.io, file as string)).replace(/\r?\n$/, '')
      const body = { value: parseJsonOrText(text), ...(tag && { tags: tag }) }
      const isNew = await cli.client.variables.updateByName(name, body).then(
        () => false,
        (error) => {
          if (error instanceof NotFoundError) return true
          throw error
        },
      )
      if (isNew) await cli.client.variables.create({ name, ...body })
      await cli.output.done(`${isNew ? 'Created' : 'Changed'} variable "${name}".`, await exactClient().variables.readByName(name))
    })
  withExamples(
    set,
    ['variable set region eu-west-1'],
    [`variable set limits '{"rows": 1000}' --tag prod`, 'a JSON value'],
    [`variable set zip '"01234"'`, 'text that looks like a number'],
  )

  const remove = group
    .command('delete')
    .alias('unset')
    .summary('Delete a variable')
    .description('Delete a variable. Flows that read it get nothing.')
    .argument('<name>', 'name or id')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const variable = await find(reference)
      await cli.confirm(`Delete variable "${variable.name}"?`, yes)
      await cli.client.variables.delete(variable.id)
      await cli.output.done(`Deleted variable "${variable.name}".`, variable)
    })
  withExamples(remove, ['variable delete region --yes'])
}
