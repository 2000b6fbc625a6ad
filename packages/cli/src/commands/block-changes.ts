import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { readInputDocument, readInputObject, readInputText } from '../read-input.ts'
import { type BlockField, checkFields, listFields, parseFieldValue } from './block-fields.ts'
import { blockArgument, findBlock, findBlockType, fullName, readNewestSchema } from './block-reference.ts'

type FieldTexts = readonly (readonly [name: string, text: string])[]

interface DataOptions {
  readonly field?: FieldTexts
  readonly file?: string
}

export function blockChangeCommands(group: Command, cli: Cli): void {
  const create = withDataOptions(
    group
      .command('create')
      .summary('Create a block')
      .description('Create a block document with the newest schema of its type. `block type inspect` shows the fields.')
      .requiredOption('-t, --type <slug>', 'slug of the block type (required)')
      .requiredOption('-n, --name <name>', 'name of the new block: lower-case letters, digits and dashes (required)'),
  ).action(async ({ type: slug, name, ...options }: DataOptions & { type: string; name: string }) => {
    const type = await findBlockType(cli.client, slug)
    const schema = await readNewestSchema(cli.client, type)
    const fields = listFields(schema.fields)
    const data = await readData(cli, slug, fields, options)
    checkFields(slug, fields, data, true)
    const block = await cli.client.blockDocuments.create({ name, data, block_type_id: type.id, block_schema_id: schema.id })
    await cli.output.done(`Created block "${fullName(block)}".`, block)
  })
  withExamples(
    create,
    ['block create --type secret --name api-key --field value=@key.txt', 'keeps the secret out of the shell history'],
    ['block create --type s3-bucket --name lake --field bucket_name=lake --field credentials=aws-credentials/prod'],
    ['block create --type slack-webhook --name alerts --file alerts.yaml'],
  )

  const update = withDataOptions(
    group
      .command('update')
      .summary('Change a block')
      .description('Change fields of a block document. What is not given stays as it is, unless --replace is given.')
      .argument(...blockArgument)
      .option('--replace', 'remove the fields that are not given'),
  ).action(async (reference: string, { replace, ...options }: DataOptions & { replace?: boolean }) => {
    const block = await findBlock(cli.client, reference)
    const slug = block.block_type?.slug ?? ''
    const fields = listFields(block.block_schema?.fields ?? {})
    const data = await readData(cli, slug, fields, options)
    if (Object.keys(data).length === 0) throw new UsageError('Nothing to change. Give --field or --file.')
    checkFields(slug, fields, data, replace ?? false)
    await cli.client.blockDocuments.update(block.id, { data, merge_existing_data: !replace })
    await cli.output.done(`Changed block "${fullName(block)}".`, await cli.client.blockDocuments.read(block.id))
  })
  withExamples(update, ['block update s3-bucket/lake --field bucket_folder=raw'], ['block update secret/api-key --field value=@- < key.txt'])

  const remove = group
    .command('delete')
    .summary('Delete a block')
    .description('Delete a block document. Blocks and deployments that reference it lose the reference.')
    .argument(...blockArgument)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const block = await findBlock(cli.client, reference)
      await cli.confirm(`Delete block "${fullName(block)}"? Blocks and deployments that reference it lose the reference.`, yes)
      await cli.client.blockDocuments.delete(block.id)
      await cli.output.done(`Deleted block "${fullName(block)}".`, block)
    })
  withExamples(remove, ['block delete secret/api-key --yes'])
}

const withDataOptions = (command: Command): Command =>
  command
    .option('-f, --field <name=value>', 'value of a field: text, JSON, TYPE/NAME of a block, or @FILE (@- for stdin); can be repeated', collectField)
    .option('--file <file>', 'YAML or JSON file with fields, - for stdin; --field overrides it')

/** Texts are read when the schema is known. */
function collectField(text: string, collected: FieldTexts = []): FieldTexts {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It is not NAME=VALUE.')
  return [...collected, [text.slice(0, at), text.slice(at + 1)]]
}

async function readData(cli: Cli, slug: string, fields: readonly BlockField[], { field = [], file }: DataOptions): Promise<Record<string, unknown>> {
  const data = file === undefined ? {} : await readInputObject(cli.io, file)
  for (const [name, text] of field) {
    const known = fields.find((each) => each.name === name)
    if (!known) checkFields(slug, fields, { [name]: text }, false)
    else data[name] = await readField(cli, known, text)
  }
  return data
}

/** `@FILE` reads the value from a file, `@@` stands for a text that begins with @. */
async function readField(cli: Cli, field: BlockField, text: string): Promise<unknown> {
  if (field.references.length > 0) return referenceTo(cli, field, text)
  if (text.startsWith('@@')) return parseFieldValue(field, text.slice(1))
  if (!text.startsWith('@')) return parseFieldValue(field, text)
  const path = text.slice(1)
  if (!field.allowsText) return readInputDocument(cli.io, path)
  // The line break at the end of a file belongs to the file.
  return parseFieldValue(field, (await readInputText(cli.io, path)).replace(/\r?\n$/, ''))
}

/** A field that takes a block has the id of the other block document. */
async function referenceTo(cli: Cli, field: BlockField, text: string): Promise<unknown> {
  if (text.startsWith('{')) return parseFieldValue(field, text)
  const block = await findBlock(cli.client, text)
  const slug = block.block_type?.slug ?? ''
  if (!field.references.includes(slug))
    throw new UsageError(`Field "${field.name}" takes a block of type ${field.references.join(' or ')}, not ${slug}.`)
  return { $ref: { block_document_id: block.id } }
}
