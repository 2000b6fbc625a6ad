import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { blockQuery } from '../../api/blocks.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ResourceLink } from '../events/resource-link.tsx'
import { QueryView } from '../query-view.tsx'
import { orderedFields } from '../schema-form/resolve-schema.ts'
import { type BlockFields, loadSnippet, referencedId, secretMask, toFormValues } from './block-fields.ts'
import { DeleteBlockDialog } from './delete-block-dialog.tsx'

/** Fields of a block, with secrets hidden, and the code that loads it. */
export function BlockPage({ id }: { readonly id: string }) {
  const block = useQuery(blockQuery(id))
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  return (
    <Page
      title={block.data?.name ?? 'Block'}
      crumbs={[{ label: 'Blocks', to: '/blocks' }]}
      titleAside={
        block.data?.block_type && (
          <Link to="/blocks/catalog/$slug" params={{ slug: block.data.block_type.slug }} className="link">
            {block.data.block_type.name}
          </Link>
        )
      }
      actions={
        block.data && (
          <>
            <Link to="/blocks/block/$id/edit" params={{ id }} className={buttonClass('primary')}>
              Edit
            </Link>
            <Button variant="danger" icon="trash" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          </>
        )
      }
    >
      <QueryView query={block}>{(found) => <BlockView block={found} />}</QueryView>
      <DeleteBlockDialog block={deleting ? block.data : undefined} onClose={() => setDeleting(false)} onDeleted={() => navigate({ to: '/blocks' })} />
    </Page>
  )
}

function BlockView({ block }: { readonly block: BlockDocument }) {
  const fields = (block.block_schema?.fields ?? {}) as BlockFields
  const data = { ...block.data, ...toFormValues(block) }
  const schemaFields = orderedFields(fields)
  const others = Object.keys(data).filter((name) => !schemaFields.some(([each]) => each === name))
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Panel title="Fields">
        <div className="p-3.5">
          <Facts
            facts={[
              ...schemaFields.map(([name, field]) => ({ name: field.title ?? name, value: renderValue(data[name], name) })),
              ...others.map((name) => ({ name, value: renderValue(data[name], name) })),
            ]}
          />
          {Object.keys(data).length === 0 && <p className="text-soft">No data.</p>}
        </div>
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Python">
          <div className="p-3.5">
            <CodeBlock code={loadSnippet(block.block_type?.slug ?? '', block.name ?? '')} />
          </div>
        </Panel>
        <Panel title="Details">
          <div className="p-3.5">
            <Facts
              facts={[
                { name: 'Capabilities', value: block.block_schema?.capabilities.join(', ') },
                { name: 'Schema', value: block.block_schema?.version },
                { name: 'Created', value: <TimeText time={block.created} show="full" /> },
                { name: 'Updated', value: <TimeText time={block.updated} show="full" /> },
                {
                  name: 'ID',
                  value: (
                    <span className="flex items-center gap-1">
                      <code className="min-w-0 truncate font-mono text-sm">{block.id}</code>
                      <CopyButton text={block.id} label="Copy ID" />
                    </span>
                  ),
                },
              ]}
            />
          </div>
        </Panel>
      </div>
    </div>
  )
}

function renderValue(value: unknown, name: string): ReactNode {
  const id = referencedId(value)
  if (id !== undefined) return <ResourceLink id={`prefect.block-document.${id}`} />
  if (value === undefined || value === null) return <span className="text-faint">–</span>
  if (value === secretMask) return <span className="text-soft">Hidden secret</span>
  if (typeof value === 'object') return <JsonView label={name} value={value} />
  return <span className="whitespace-pre-wrap">{String(value)}</span>
}
