import { describeTrigger } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { Automation } from '@millrace/contracts/automation.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { automationQuery, automationStatusQuery } from '../../api/automations.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { toDraft } from './automation-draft.ts'
import { AutomationSwitch } from './automation-switch.tsx'
import { DeleteAutomationDialog } from './delete-automation-dialog.tsx'
import { ActionDescriptions, TriggerDescriptionView } from './description-view.tsx'
import { Firings } from './firings.tsx'
import { useAutomationActions } from './use-automation-actions.ts'

const crumbs = [{ label: 'Automations', to: '/automations' }]

export function AutomationPage({ id }: { readonly id: string }) {
  const automation = useQuery(automationQuery(id))
  const { setEnabled, remove } = useAutomationActions()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const { data } = automation
  const deleteAndLeave = async () => {
    setDeleting(false)
    if (data && (await remove(data))) await navigate({ to: '/automations' })
  }
  return (
    <Page
      title={data?.name ?? 'Automation'}
      crumbs={crumbs}
      titleAside={data && <AutomationSwitch automation={data} onToggle={setEnabled} />}
      actions={
        data && (
          <>
            <Link to="/automations/automation/$id/edit" params={{ id }} className={buttonClass('primary')}>
              Edit
            </Link>
            <Menu trigger={<Button icon="more" aria-label="More" />}>
              <MenuItem icon="duplicate" onSelect={() => void navigate({ to: '/automations/create', search: { from: `automation:${id}` } })}>
                Duplicate
              </MenuItem>
              <MenuItem icon="events" onSelect={() => void navigate({ to: '/events', search: { resource: [`prefect.automation.${id}`] } })}>
                View events
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
                Delete…
              </MenuItem>
            </Menu>
          </>
        )
      }
    >
      <QueryView query={automation}>{(found) => <AutomationDetails automation={found} />}</QueryView>
      <DeleteAutomationDialog automation={deleting ? data : undefined} onClose={() => setDeleting(false)} onDelete={() => void deleteAndLeave()} />
    </Page>
  )
}

function SuspendedUntil({ automation, until }: { readonly automation: Automation; readonly until: string }) {
  const { resume } = useAutomationActions()
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>
        Resumes <TimeText time={until} show="relative" />
      </span>
      <Button className="h-6! px-2! text-sm" onClick={() => void resume(automation)}>
        Resume
      </Button>
    </span>
  )
}

function AutomationDetails({ automation }: { readonly automation: Automation }) {
  const { id, description, tags, trigger, actions, actions_on_trigger, actions_on_resolve, created, updated } = automation
  const status = useQuery(automationStatusQuery(id)).data
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        {description && <p className="text-soft">{description}</p>}
        <Panel title="Trigger">
          <div className="p-3.5">
            <TriggerDescriptionView description={describeTrigger(trigger)} />
          </div>
        </Panel>
        <Panel title="Actions">
          <div className="p-3.5">
            <ActionDescriptions actions={actions} />
          </div>
        </Panel>
        {actions_on_trigger.length > 0 && (
          <Panel title="On trigger">
            <div className="p-3.5">
              <ActionDescriptions actions={actions_on_trigger} />
            </div>
          </Panel>
        )}
        {actions_on_resolve.length > 0 && (
          <Panel title="On resolve">
            <div className="p-3.5">
              <ActionDescriptions actions={actions_on_resolve} />
            </div>
          </Panel>
        )}
        <Panel title="Activity">
          <Firings id={id} />
        </Panel>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Status">
          <div className="p-3.5">
            <Facts
              facts={[
                { name: 'Last fired', value: status && (status.last_fired ? <TimeText time={status.last_fired} show="relative" /> : 'Never') },
                {
                  name: 'Last evaluated',
                  value: status && (status.last_evaluated ? <TimeText time={status.last_evaluated} show="relative" /> : 'Never'),
                },
                { name: 'Suspended', value: status?.suspended && <SuspendedUntil automation={automation} until={status.suspended.until} /> },
                { name: 'Not fired because', value: status?.reason },
                {
                  name: 'Open periods',
                  value:
                    status && status.open_periods > 0 ? `${status.open_periods} open ${status.open_periods === 1 ? 'period' : 'periods'}` : undefined,
                },
                {
                  name: 'Pending actions',
                  value:
                    status && status.waiting_actions > 0
                      ? `${status.waiting_actions} ${status.waiting_actions === 1 ? 'action' : 'actions'}`
                      : undefined,
                },
                { name: 'Tags', value: tags.length > 0 ? <TagList tags={tags} limit={20} /> : undefined },
                { name: 'Created', value: <TimeText time={created} show="full" /> },
                { name: 'Updated', value: <TimeText time={updated} show="full" /> },
                {
                  name: 'ID',
                  value: (
                    <span className="flex items-center gap-1">
                      <code className="min-w-0 truncate font-mono text-sm">{id}</code>
                      <CopyButton text={id} label="Copy ID" />
                    </span>
                  ),
                },
              ]}
            />
          </div>
        </Panel>
        <JsonView label="JSON" value={toDraft(automation)} />
      </div>
    </div>
  )
}
