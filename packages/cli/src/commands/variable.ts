import { NotFoundError } from '@millrace/client/errors.ts'
import type { Variable } from '@millrace/contracts/variable.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { parseCount, parseJsonOrText, readInput } from '../option-values.ts'
import { ageColumn, nameColumn, tagsColumn, wideIdColumn } from '../output/columns.ts'
import type { Column } from '../output/table.ts'
import { resolveVariable } from '../resolve.ts'

const columns: readonly Column<Variable>[] = [
  { ...nameColumn, isFixed: true },
  { title: 'VALUE', value: ({ value }) => JSON.stringify(value) },
  tagsColumn,
  ageColumn('UPDATED', ({ updated }) => updated),
  wideIdColumn,
]

export function variableCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List variables')
    .option('--name <text>', 'only names that contain this text')
    .option('--tag <tag...>', 'only variables with all these tags')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ name, tag, limit }: { name?: string; tag?: string[]; limit: number }) => {
      const variables = { ...(name && { name: { like_: name } }), ...(tag && { tags: { all_: tag } }) }
      await cli.output.list(await cli.client.variables.list({ variables, limit }), columns, 'No variables.')
    })
  withExamples(list, ['variable ls'], ['variable ls --tag prod -o json', 'with all fields'])

  const get = group
    .command('get')
    .summary('Print the value of a variable')
    .argument('<name>', 'name or id')
    .action(async (reference: string) => {
      const variable = await resolveVariable(cli.client, reference)
      if (cli.output.isStructured) return cli.output.data(variable)
      cli.output.text(typeof variable.value === 'string' ? variable.value : JSON.stringify(variable.value))
    })
  withExamples(get, ['variable get region'])

  const set = group
    .command('set')
    .summary('Create or change a variable')
    .argument('<name>')
    .argument('[value]', 'JSON, or text that is not JSON')
    .option('--file <path>', 'read the value from a file, - for stdin')
    .option('--tag <tag...>', 'tags, which replace the present ones')
    .action(async (name: string, value: string | undefined, { file, tag }: { file?: string; tag?: string[] }) => {
      if ((value === undefined) === (file === undefined)) throw new CommandError('Give either a value or --file.', 'usage')
      const body = { value: parseJsonOrText(value ?? readInput(file as string)), ...(tag && { tags: tag }) }
      const isNew = await cli.client.variables.updateByName(name, body).then(
        () => false,
        (error) => {
          if (error instanceof NotFoundError) return true
          throw error
        },
      )
      if (isNew) await cli.client.variables.create({ name, ...body })
      await cli.output.done(`${isNew ? 'Created' : 'Changed'} variable "${name}".`, await cli.client.variables.readByName(name))
    })
  withExamples(set, ['variable set region eu-west-1'], [`variable set limits '{"rows": 1000}' --tag prod`, 'a JSON value'])

  const remove = group
    .command('delete')
    .summary('Delete a variable')
    .argument('<name>', 'name or id')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const { id, name } = await resolveVariable(cli.client, reference)
      await cli.confirm(`Delete variable "${name}"?`, yes)
      await cli.client.variables.delete(id)
      await cli.output.done(`Deleted variable "${name}".`, { id, name })
    })
  withExamples(remove, ['variable delete region --yes'])
}
