import { useQuery } from '@tanstack/react-query'
import { automationQuery } from '../../api/automations.ts'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { toDraft } from './automation-draft.ts'
import { AutomationEditor } from './automation-editor.tsx'

export function EditAutomationPage({ id }: { readonly id: string }) {
  const automation = useQuery(automationQuery(id))
  if (automation.data) return <AutomationEditor id={id} initialDraft={toDraft(automation.data)} />
  return (
    <Page title="Edit automation" crumbs={[{ label: 'Automations', to: '/automations' }]}>
      <QueryView query={automation}>{() => null}</QueryView>
    </Page>
  )
}
