import { useQuery } from '@tanstack/react-query'
import { automationQuery } from '../../api/automations.ts'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { AutomationEditor } from './automation-editor.tsx'
import { draftOf } from './draft.ts'

export function EditAutomationPage({ id }: { readonly id: string }) {
  const automation = useQuery(automationQuery(id))
  if (automation.data) return <AutomationEditor id={id} start={draftOf(automation.data)} />
  return (
    <Page title="Edit automation" crumbs={[{ label: 'Automations', to: '/automations' }]}>
      <QueryView query={automation}>{() => null}</QueryView>
    </Page>
  )
}
