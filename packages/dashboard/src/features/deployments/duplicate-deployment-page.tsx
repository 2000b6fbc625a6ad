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
  const wanted = name.trim()
  // To create a deployment under a name that is taken would change the one that has it.
  const taken = useQuery({
    ...deploymentsQuery({ deployments: { name: { any_: [wanted] } }, flows: { id: { any_: [deployment.flow_id] } }, limit: 1 }),
    enabled: wanted !== '',
  })
  const fault =
    wanted === ''
      ? 'Enter a name'
      : /[/%&><]/.test(wanted)
        ? 'Must not contain / % & > <'
        : taken.data && taken.data.length > 0
          ? 'The flow already has a deployment with this name'
          : undefined
  const save = (draft: DeploymentDraft) =>
    attempt(async () => {
      const made = await createDeployment(toDeploymentCopy(deployment, wanted, draft))
      await navigate({ to: '/deployments/deployment/$id', params: { id: made.id } })
      return `Created ${made.name}`
    })
  return (
    <DeploymentForm
      deployment={deployment}
      busy={busy}
      action="Create"
      onSave={(draft) => {
        if (!fault && taken.isSuccess) void save(draft)
      }}
      onCancel={() => void navigate({ to: '/deployments/deployment/$id', params: { id: deployment.id } })}
    >
      <TextField label="Name" required error={fault} value={name} onChange={(event) => setName(event.target.value)} />
    </DeploymentForm>
  )
}
