import { useQuery } from '@tanstack/react-query'
import { flowsQuery } from '../../api/flows.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Attention } from './attention.tsx'
import { Pools } from './pools.tsx'
import { RunChart } from './run-chart.tsx'
import { RunningNow } from './running-now.tsx'
import { Upcoming } from './upcoming.tsx'

export function HomePage() {
  const flows = useQuery(flowsQuery({ limit: 1 }))
  return (
    <Page title="Home">
      {flows.data?.length === 0 ? (
        <Welcome />
      ) : (
        <div className="flex flex-col gap-4">
          <Attention />
          <RunChart />
          <div className="grid items-start gap-4 lg:grid-cols-3">
            <RunningNow />
            <Upcoming />
            <Pools />
          </div>
        </div>
      )}
    </Page>
  )
}

function Welcome() {
  return (
    <EmptyState title="No runs yet" command={`export PREFECT_API_URL=${new URL('api', document.baseURI).href}`}>
      Point a client at this server and run a flow.
    </EmptyState>
  )
}
