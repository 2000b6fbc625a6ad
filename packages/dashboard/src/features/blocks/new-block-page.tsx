import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { blockSchemasQuery, blockTypeQuery, createBlock } from '../../api/blocks.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { QueryView } from '../query-view.tsx'
import { type BlockFields, initialBlockValues } from './block-fields.ts'
import { BlockForm } from './block-form.tsx'

export function NewBlockPage({ slug }: { readonly slug: string }) {
  const type = useQuery(blockTypeQuery(slug))
  const schemas = useQuery({ ...blockSchemasQuery({ block_type_id: { any_: [type.data?.id ?? ''] } }), enabled: type.data !== undefined })
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const save = async (data: Record<string, unknown>, name: string) => {
    const schema = schemas.data?.[0]
    if (!type.data || !schema) return
    const { id } = await createBlock({ name, data, block_schema_id: schema.id, block_type_id: type.data.id })
    await queryClient.invalidateQueries({ queryKey: ['blocks'] })
    showToast(`Created ${name}`)
    await navigate({ to: '/blocks/block/$id', params: { id } })
  }
  return (
    <Page
      title={type.data ? `New ${type.data.name}` : 'New block'}
      crumbs={[
        { label: 'Blocks', to: '/blocks' },
        { label: 'Block types', to: '/blocks/catalog' },
        ...(type.data ? [{ label: type.data.name, to: `/blocks/catalog/${slug}` }] : []),
      ]}
    >
      {type.isError && <QueryView query={type}>{() => null}</QueryView>}
      <QueryView query={schemas} {...(type.isError && { skeleton: null })}>
        {(found) => {
          const fields = found[0]?.fields as BlockFields | undefined
          if (!fields) return <EmptyState title="No schema registered for this type">Register the package that provides this block type.</EmptyState>
          return (
            <Panel title={type.data?.description ?? 'Fields'}>
              <div className="p-4">
                <BlockForm withName fields={fields} initialValues={initialBlockValues(fields)} onSave={save} />
              </div>
            </Panel>
          )
        }}
      </QueryView>
    </Page>
  )
}
