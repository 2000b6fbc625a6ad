import { createFileRoute } from '@tanstack/react-router'
import { automationQuery } from '../../api/automations.ts'
import { AutomationPage } from '../../features/automations/automation-page.tsx'

export const Route = createFileRoute('/automations/automation/$id/')({
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(automationQuery(params.id)),
  component: Automation,
})

function Automation() {
  const { id } = Route.useParams()
  return <AutomationPage key={id} id={id} />
}
