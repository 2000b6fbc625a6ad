import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createDeployment, deploymentQuery, deploymentsQuery } from '../../api/deployments.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { type DeploymentDraft, toDeploymentCopy } from './deployment-draft.ts'
import { DeploymentForm } from './deployment-form.tsx'

export function DuplicateDeploymentPage({ id }: { readonly id: string }) {
  const deployment = useQuery(deploymentQuery(id))
  return (
    <Page
      title="Duplicate deployment"
      crumbs={[
        { label: 'Deployments', to: '/deployments' },
        { label: deployment.data?.name ?? '…', to: `/deployments/deployment/${id}` },
      ]}
    >
      <QueryView query={deployment}>
        {(found) => (found === null ? <EmptyState title="Deployment not found" /> : <Duplicate deployment={found} />)}
      </QueryView>
    </Page>
  )
}

function Duplicate({ deployment }: { readonly deployment: DeploymentResponse }) {
  const navigate = useNavigate()
  const [name, setName] = useState(`${deployment.name}-copy`)
  const { busy, attempt } = useAction('deployments')
  const trimmedName = name.trim()
  // Creating a deployment under an existing name would update that deployment.
  const taken = useQuery({
    ...deploymentsQuery({ deployments: { name: { any_: [trimmedName] } }, flows: { id: { any_: [deployment.flow_id] } }, limit: 1 }),
    enabled: trimmedName !== '',
  })
  const error =
    trimmedName === ''
      ? 'Enter a name'
      : /[/%&><]/.test(trimmedName)
        ? 'Must not contain / % & > <'
        : taken.data && taken.data.length > 0
          ? 'The flow already has a deployment with this name'
          : undefined
  const save = (draft: DeploymentDraft) =>
    attempt(async () => {
      const copy = await createDeployment(toDeploymentCopy(deployment, trimmedName, draft))
      await navigate({ to: '/deployments/deployment/$id', params: { id: copy.id } })
      return `Created ${copy.name}`
    })
  return (
    <DeploymentForm
      deployment={deployment}
      busy={busy}
      submitLabel="Create"
      onSave={(draft) => {
        if (!error && taken.isSuccess) void save(draft)
      }}
      onCancel={() => void navigate({ to: '/deployments/deployment/$id', params: { id: deployment.id } })}
    >
      <TextField label="Name" required error={error} value={name} onChange={(event) => setName(event.target.value)} />
    </DeploymentForm>
  )
}
