import { createFileRoute } from '@tanstack/react-router'
import { automationQuery } from '../../api/automations.ts'
import { EditAutomationPage } from '../../features/automations/edit-automation-page.tsx'

export const Route = createFileRoute('/automations/automation/$id/edit')({
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(automationQuery(params.id)),
  component: EditAutomation,
})

function EditAutomation() {
  const { id } = Route.useParams()
  return <EditAutomationPage key={id} id={id} />
}
