import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deploymentQuery, updateDeployment } from '../../api/deployments.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { type DeploymentDraft, toDeploymentUpdate } from './deployment-draft.ts'
import { DeploymentForm } from './deployment-form.tsx'

export function EditDeploymentPage({ id }: { readonly id: string }) {
  const deployment = useQuery(deploymentQuery(id))
  const navigate = useNavigate()
  const { busy, attempt } = useAction('deployments', 'concurrency-limits')
  const back = () => navigate({ to: '/deployments/deployment/$id', params: { id } })
  const save = (draft: DeploymentDraft) =>
    attempt(async () => {
      await updateDeployment(id, toDeploymentUpdate(draft))
      await back()
      return 'Deployment saved'
    })
  return (
    <Page
      title="Edit deployment"
      crumbs={[
        { label: 'Deployments', to: '/deployments' },
        { label: deployment.data?.name ?? '…', to: `/deployments/deployment/${id}` },
      ]}
    >
      <QueryView query={deployment}>
        {(found) =>
          found === null ? (
            <EmptyState title="Deployment not found" />
          ) : (
            <DeploymentForm deployment={found} busy={busy} submitLabel="Save" onSave={(draft) => void save(draft)} onCancel={() => void back()} />
          )
        }
      </QueryView>
    </Page>
  )
}
