import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn, idColumn, timeColumn, wideIdColumn } from '../output/columns.ts'
import { printValueSection } from '../output/sections.ts'
import type { Column } from '../output/table.ts'
import { blockChangeCommands } from './block-changes.ts'
import { blockArgument, findBlock, findBlockType } from './block-reference.ts'
import { blockTypeCommands } from './block-type.ts'

const typeColumn: Column<BlockDocument> = { title: 'TYPE', value: ({ block_type }) => block_type?.slug }
const blockNameColumn: Column<BlockDocument> = { title: 'NAME', value: ({ name }) => name, isFixed: true }

const listColumns: readonly Column<BlockDocument>[] = [typeColumn, blockNameColumn, ageColumn('UPDATED', ({ updated }) => updated), wideIdColumn]

const fields: readonly Column<BlockDocument>[] = [
  typeColumn,
  blockNameColumn,
  { title: 'SCHEMA VERSION', value: ({ block_schema }) => block_schema?.version },
  timeColumn('CREATED', ({ created }) => created),
  timeColumn('UPDATED', ({ updated }) => updated),
  idColumn,
]

interface ListOptions {
  readonly type?: string
  readonly name?: string
  readonly limit: number
}

export function blockCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List blocks')
    .description('List block documents. Secrets are masked.')
    .option('-t, --type <slug>', 'only blocks of this type')
    .option('--name <text>', 'only names that contain this text')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ type, name, limit }: ListOptions) => {
      if (type !== undefined) await findBlockType(cli.client, type)
      const filter = {
        ...(type !== undefined && { block_types: { slug: { any_: [type] } } }),
        ...(name !== undefined && { block_documents: { name: { like_: name } } }),
        sort: 'BLOCK_TYPE_AND_NAME_ASC' as const,
      }
      const blocks = await collectItems(cli, limit, (options) => cli.client.blockDocuments.listAll(filter, options))
      await cli.output.list(blocks, listColumns, 'No blocks.')
    })
  withExamples(list, ['block ls'], ['block ls --type secret -o json'])

  const inspect = group
    .command('inspect')
    .summary('Show a block')
    .description('Show a block document with its fields. Secrets are masked, unless --show-secrets is given.')
    .argument(...blockArgument)
    .option('--show-secrets', 'print secrets in plain text')
    .action(async (reference: string, { showSecrets }: { showSecrets?: boolean }) => {
      const block = await findBlock(cli.client, reference, showSecrets)
      await cli.output.item(block, fields)
      if (!cli.output.isStructured) await printValueSection(cli.output, 'Fields', block.data)
    })
  withExamples(inspect, ['block inspect s3-bucket/lake'], ['block inspect secret/api-key --show-secrets -o json'])

  blockChangeCommands(group, cli)
  blockTypeCommands(group.command('type').summary('Manage block types').description('List, inspect and delete block types.'), cli)
}
