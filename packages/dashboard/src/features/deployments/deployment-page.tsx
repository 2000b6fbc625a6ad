import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deploymentQuery, pauseDeployment, runDeployment } from '../../api/deployments.ts'
import { describeError } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'
import { DeploymentStatus } from './deployment-status.tsx'
import { scheduleText } from './schedule-text.ts'

export function DeploymentPage({ id }: { readonly id: string }) {
  const deployment = useQuery(deploymentQuery(id))
  const runs = useRunsFilter({ deployment: [id] })
  return (
    <Page
      title={deployment.data?.name ?? 'Deployment'}
      crumbs={[{ label: 'Deployments', to: '/deployments' }]}
      beside={deployment.data && <DeploymentStatus deployment={deployment.data} />}
      actions={deployment.data && <DeploymentActions deployment={deployment.data} />}
      fill
    >
      <QueryView query={deployment}>
        {(found) =>
          found === null ? (
            <EmptyState title="This deployment is gone" />
          ) : (
            <>
              {found.schedules.length > 0 && (
                <p className="pb-3 text-soft">{found.schedules.map(({ schedule }) => scheduleText(schedule)).join('; ')}</p>
              )}
              <RunsTable filter={runs} empty={<EmptyState title="It has not run yet" />} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

function DeploymentActions({ deployment }: { readonly deployment: DeploymentResponse }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const attempt = async (deed: () => Promise<void>) => {
    setBusy(true)
    try {
      await deed()
      await queryClient.invalidateQueries({ queryKey: ['deployments'] })
    } catch (error) {
      const { title, detail } = describeError(error)
      say(title, { tone: 'bad', detail: detail ?? '' })
    }
    setBusy(false)
  }
  const run = async () => {
    const made = await runDeployment(deployment.id)
    say(`${made.name} is scheduled`)
    await navigate({ to: '/runs/flow-run/$id', params: { id: made.id } })
  }
  const pause = async () => {
    await pauseDeployment(deployment.id, !deployment.paused)
    say(deployment.paused ? 'Its schedules go on' : 'Its schedules are paused')
  }
  return (
    <>
      <Button icon={deployment.paused ? 'play' : 'pause'} disabled={busy} onClick={() => void attempt(pause)}>
        {deployment.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button look="primary" icon="play" disabled={busy} onClick={() => void attempt(run)}>
        Run
      </Button>
    </>
  )
}
