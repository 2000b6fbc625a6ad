import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { blockQuery, updateBlock } from '../../api/blocks.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { QueryView } from '../query-view.tsx'
import { type BlockFields, initialBlockValues, listMaskedSecrets, toFormValues } from './block-fields.ts'
import { BlockForm } from './block-form.tsx'

export function EditBlockPage({ id }: { readonly id: string }) {
  const block = useQuery({ ...blockQuery(id), staleTime: Number.POSITIVE_INFINITY, refetchOnMount: 'always' })
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const name = block.data?.name ?? 'block'
  const save = async (data: Record<string, unknown>) => {
    await updateBlock(id, data)
    await queryClient.invalidateQueries({ queryKey: ['blocks'] })
    showToast(`Saved ${name}`)
    await navigate({ to: '/blocks/block/$id', params: { id } })
  }
  return (
    <Page
      title={`Edit ${name}`}
      crumbs={[
        { label: 'Blocks', to: '/blocks' },
        { label: name, to: `/blocks/block/${id}` },
      ]}
    >
      <QueryView query={block}>
        {(found) => (
          <Panel title={found.block_type?.name ?? 'Fields'}>
            <div className="p-4">
              <BlockForm
                fields={schemaFields(found)}
                initialValues={{ ...initialBlockValues(schemaFields(found)), ...toFormValues(found) }}
                maskedSecrets={listMaskedSecrets(found)}
                onSave={save}
              />
            </div>
          </Panel>
        )}
      </QueryView>
    </Page>
  )
}

const schemaFields = ({ block_schema }: BlockDocument): BlockFields => (block_schema?.fields ?? {}) as BlockFields
