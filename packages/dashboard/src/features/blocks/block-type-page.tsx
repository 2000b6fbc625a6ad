import type { BlockType } from '@millrace/contracts/block-type.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { blockSchemasQuery, blocksQuery, blockTypeQuery } from '../../api/blocks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { QueryView } from '../query-view.tsx'
import type { Schema } from '../schema-form/json-schema.ts'
import { orderedFields, resolveSchema } from '../schema-form/resolve-schema.ts'
import { type BlockFields, loadSnippet, referenceFields, webUrl } from './block-fields.ts'
import { BlockTypeIcon } from './block-type-icon.tsx'

/** Block type: description, fields and existing blocks. */
export function BlockTypePage({ slug }: { readonly slug: string }) {
  const type = useQuery(blockTypeQuery(slug))
  return (
    <Page
      title={type.data?.name ?? 'Block type'}
      crumbs={[
        { label: 'Blocks', to: '/blocks' },
        { label: 'Block types', to: '/blocks/catalog' },
      ]}
      titleAside={type.data && <BlockTypeIcon name={type.data.name} />}
      actions={
        type.data && (
          <Link to="/blocks/catalog/$slug/create" params={{ slug }} className={buttonClass('primary')}>
            Create
          </Link>
        )
      }
    >
      <QueryView query={type}>{(found) => <TypeView type={found} />}</QueryView>
    </Page>
  )
}

function TypeView({ type }: { readonly type: BlockType }) {
  const schemas = useQuery(blockSchemasQuery({ block_type_id: { any_: [type.id] } }))
  const blocks = useQuery(blocksQuery({ block_types: { slug: { any_: [type.slug] } }, limit: 50 }))
  const newest = schemas.data?.[0]
  const documentation = webUrl(type.documentation_url)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        {type.description && <p className="text-soft">{type.description}</p>}
        {newest && <FieldTable fields={newest.fields as BlockFields} />}
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Blocks of this type">
          <QueryView query={blocks} compact>
            {(found) =>
              found.length === 0 ? (
                <p className="p-3.5 text-soft">No blocks of this type yet.</p>
              ) : (
                <ul className="divide-y divide-line">
                  {found.map(({ id, name }) => (
                    <li key={id} className="px-3.5 py-1.5">
                      <Link to="/blocks/block/$id" params={{ id }} className="link">
                        {name}
                      </Link>
                    </li>
                  ))}
                </ul>
              )
            }
          </QueryView>
        </Panel>
        <Panel title="Python">
          <div className="p-3.5">
            <CodeBlock code={type.code_example ?? loadSnippet(type.slug, 'my-block')} />
          </div>
        </Panel>
        {newest && newest.capabilities.length > 0 && (
          <p className="text-soft">
            Capabilities: {newest.capabilities.join(', ')}. Version {newest.version}.
          </p>
        )}
        {documentation && (
          <a href={documentation} target="_blank" rel="noopener noreferrer" className="link">
            Documentation
          </a>
        )}
      </div>
    </div>
  )
}

function FieldTable({ fields }: { readonly fields: BlockFields }) {
  const references = referenceFields(fields)
  const secrets = new Set(fields.secret_fields?.map((path) => path.split('.')[0]))
  const held = (name: string, field: Schema): string => {
    const slugs = references.get(name)
    if (slugs) return `block: ${slugs.join(' or ')}`
    if (secrets.has(name)) return 'secret'
    const { type, enum: choices, format } = resolveSchema(field, fields)
    return choices ? choices.map(String).join(', ') : (format ?? (typeof type === 'string' ? type : type?.join(' or ')) ?? 'JSON')
  }
  return (
    <Table
      label="Fields"
      rows={orderedFields(fields)}
      rowKey={([name]) => name}
      columns={[
        {
          header: 'Field',
          cell: ([name, field]) => (
            <>
              <span className="font-medium">{field.title ?? name}</span>
              {fields.required?.includes(name) && <span className="text-danger"> *</span>}
            </>
          ),
        },
        { header: 'Type', cell: ([name, field]) => <span className="text-soft">{held(name, field)}</span> },
        { header: 'Description', cell: ([, field]) => <span className="text-soft">{field.description}</span>, className: 'hidden md:table-cell' },
      ]}
    />
  )
}
