import { useQuery } from '@tanstack/react-query'
import { type AutomationDraft, automationQuery } from '../../api/automations.ts'
import { deploymentQuery } from '../../api/deployments.ts'
import { eventQuery } from '../../api/events.ts'
import { flowQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { workQueuesQuery } from '../../api/work-queues.ts'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { draftForResource, draftFromEvent, emptyDraft, toDraft } from './automation-draft.ts'
import { AutomationEditor } from './automation-editor.tsx'

/** `from` is the resource or event to start from: `deployment:ID`, `flow:ID`, `work-pool:ID`, `work-queue:ID`, `automation:ID`, `event:DAY/ID`. */
export function NewAutomationPage({ from }: { readonly from: string | undefined }) {
  const [, kind = '', key = ''] = /^([a-z-]+):(.+)$/.exec(from ?? '') ?? []
  const start = useInitialDraft(kind, key)
  if (start !== undefined) return <AutomationEditor key={from} initialDraft={start} />
  return (
    <Page title="New automation" crumbs={[{ label: 'Automations', to: '/automations' }]}>
      <SkeletonRows />
    </Page>
  )
}

/** Undefined while loading. Empty draft if the resource does not exist. */
function useInitialDraft(kind: string, key: string): AutomationDraft | undefined {
  const [day = '', eventId = ''] = key.split('/')
  const optionsFor = (wanted: string) => ({ enabled: kind === wanted, retry: false })
  const automation = useQuery({ ...automationQuery(key), ...optionsFor('automation') })
  const event = useQuery({ ...eventQuery(day, eventId), ...optionsFor('event') })
  const flow = useQuery({ ...flowQuery(key), ...optionsFor('flow') })
  const deployment = useQuery({ ...deploymentQuery(key), ...optionsFor('deployment') })
  const pools = useQuery({ ...workPoolsQuery(), ...optionsFor('work-pool') })
  const queues = useQuery({ ...workQueuesQuery(), ...optionsFor('work-queue') })
  const queries = { automation, event, flow, deployment, 'work-pool': pools, 'work-queue': queues }
  const query = Object.hasOwn(queries, kind) ? queries[kind as keyof typeof queries] : undefined
  if (query?.isPending) return undefined
  if (automation.data) return { ...toDraft(automation.data), name: `${automation.data.name} (copy)` }
  if (event.data) return draftFromEvent(event.data)
  const named = flow.data ?? deployment.data ?? pools.data?.find(({ id }) => id === key) ?? queues.data?.find(({ id }) => id === key)
  return (named && draftForResource(kind, key, named.name)) ?? emptyDraft()
}
