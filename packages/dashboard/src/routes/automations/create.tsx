import { createFileRoute } from '@tanstack/react-router'
import { NewAutomationPage } from '../../features/automations/new-automation-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/automations/create')({
  validateSearch: onlyValid((params): { from?: string } => {
    const from = readString(params.from)
    return from === undefined ? {} : { from }
  }),
  component: NewAutomation,
})

function NewAutomation() {
  return <NewAutomationPage from={Route.useSearch().from} />
}
