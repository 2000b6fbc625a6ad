import type { BlockType } from '@millrace/contracts/block-type.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { CommandError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import { idColumn, nameColumn, wideIdColumn } from '../output/columns.ts'
import { countText } from '../output/count-text.ts'
import { printTableSection } from '../output/sections.ts'
import type { Column } from '../output/table.ts'
import { type BlockField, listFields } from './block-fields.ts'
import { findBlockType, readNewestSchema } from './block-reference.ts'

const slugColumn: Column<BlockType> = { title: 'SLUG', value: ({ slug }) => slug, isFixed: true }

const listColumns: readonly Column<BlockType>[] = [
  slugColumn,
  nameColumn,
  { title: 'DESCRIPTION', value: ({ description }) => description },
  { title: 'PROTECTED', value: ({ is_protected }) => is_protected, isWide: true },
  wideIdColumn,
]

const fields: readonly Column<BlockType>[] = [
  slugColumn,
  nameColumn,
  { title: 'DESCRIPTION', value: ({ description }) => description },
  { title: 'PROTECTED', value: ({ is_protected }) => is_protected },
  { title: 'DOCUMENTATION', value: ({ documentation_url }) => documentation_url },
  idColumn,
]

const fieldColumns: readonly Column<BlockField>[] = [
  { title: 'FIELD', value: ({ name }) => name, isFixed: true },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'REQUIRED', value: ({ isRequired }) => isRequired },
  { title: 'SECRET', value: ({ isSecret }) => isSecret },
  { title: 'DESCRIPTION', value: ({ description }) => description },
]

export function blockTypeCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List block types')
    .description('List block types, built-in ones and those that clients have registered.')
    .option('--name <text>', 'only names that contain this text')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ name, limit }: { name?: string; limit: number }) => {
      const filter = name === undefined ? {} : { block_types: { name: { like_: name } } }
      const types = await collectItems(cli, limit, (options) => cli.client.blockTypes.listAll(filter, options))
      await cli.output.list(types, listColumns, 'No block types.')
    })
  withExamples(list, ['block type ls'], ['block type ls --name aws'])

  const inspect = group
    .command('inspect')
    .summary('Show a block type and its fields')
    .description('Show a block type with the fields of its newest schema.')
    .argument('<slug>', 'slug or id')
    .action(async (slug: string) => {
      const type = await findBlockType(cli.client, slug)
      await cli.output.item(type, fields)
      if (cli.output.isStructured) return
      await printTableSection(cli.output, 'Fields', listFields((await readNewestSchema(cli.client, type)).fields), fieldColumns)
    })
  withExamples(inspect, ['block type inspect s3-bucket'])

  const remove = group
    .command('delete')
    .summary('Delete a block type')
    .description('Delete a block type with its schemas and all its blocks. Protected types cannot be deleted.')
    .argument('<slug>', 'slug or id')
    .option('-y, --yes', 'do not ask')
    .action(async (slug: string, { yes }: { yes?: boolean }) => {
      const type = await findBlockType(cli.client, slug)
      if (type.is_protected) throw new CommandError(`Block type "${type.slug}" is protected and cannot be deleted.`)
      const blocks = await cli.client.blockDocuments.count({ block_types: { slug: { any_: [type.slug] } } })
      await cli.confirm(`Delete block type "${type.slug}" with ${countText(blocks, 'block')}?`, yes)
      await cli.client.blockTypes.delete(type.id)
      await cli.output.done(`Deleted block type "${type.slug}" with ${countText(blocks, 'block')}.`, type)
    })
  withExamples(remove, ['block type delete s3-bucket --yes'])

  const register = group
    .command('register-builtin')
    .summary('Restore the built-in block types')
    .description('Register the built-in block types that are missing. Changes of present ones stay.')
    .action(async () => {
      await cli.client.blockTypes.installSystemTypes()
      await cli.output.done('Registered the built-in block types.')
    })
  withExamples(register, ['block type register-builtin'])
}
