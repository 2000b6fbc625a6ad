import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { updateWorkPool, workPoolQuery } from '../../api/work-pools.ts'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { PoolForm, type PoolSettings } from './pool-form.tsx'

export function EditPoolPage({ name }: { readonly name: string }) {
  const pool = useQuery(workPoolQuery(name))
  const navigate = useNavigate()
  const { busy, attempt } = useAction('work-pools')
  const back = () => navigate({ to: '/work-pools/work-pool/$name', params: { name } })
  const save = (settings: PoolSettings) =>
    attempt(async () => {
      await updateWorkPool(name, settings)
      await back()
      return `Saved ${name}`
    })
  return (
    <Page
      title="Edit work pool"
      crumbs={[
        { label: 'Work pools', to: '/work-pools' },
        { label: name, to: `/work-pools/work-pool/${encodeURIComponent(name)}` },
      ]}
    >
      <QueryView query={pool}>
        {(found) => (
          <PoolForm initialSettings={found} busy={busy} submitLabel="Save" onSave={(settings) => void save(settings)} onCancel={() => void back()} />
        )}
      </QueryView>
    </Page>
  )
}
