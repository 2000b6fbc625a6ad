import { useState } from 'react'
import type { AutomationDraft } from '../../api/automations.ts'
import { Button } from '../../ui/button.tsx'
import { Switch, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { ActionList } from './action-list.tsx'
import { TokenField } from './token-field.tsx'
import { TriggerEditor } from './trigger-editor.tsx'

interface AutomationFormProps {
  readonly draft: AutomationDraft
  readonly errors: Readonly<Record<string, string>>
  onChange(draft: AutomationDraft): void
}

export function AutomationForm({ draft, errors, onChange }: AutomationFormProps) {
  const set = (change: Partial<AutomationDraft>) => onChange({ ...draft, ...change })
  const onTrigger = draft.actions_on_trigger ?? []
  const onResolve = draft.actions_on_resolve ?? []
  const [more, setMore] = useState(onTrigger.length + onResolve.length > 0)
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel title="Automation">
        <div className="flex flex-col gap-4 p-4">
          <TextField label="Name" required value={draft.name} error={errors.name} onChange={(event) => set({ name: event.target.value })} />
          <TextField
            label="Description"
            value={draft.description ?? ''}
            error={errors.description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <TokenField label="Tags" tokens={draft.tags ?? []} error={errors.tags} onChange={(tags) => set({ tags })} />
          <Switch label="Enabled" checked={draft.enabled ?? true} onChange={(enabled) => set({ enabled })} />
        </div>
      </Panel>
      <Panel title="Trigger">
        <div className="p-4">
          <TriggerEditor trigger={draft.trigger} path="trigger" errors={errors} onChange={(trigger) => set({ trigger })} />
        </div>
      </Panel>
      <Panel title="Actions">
        <div className="flex flex-col gap-4 p-4">
          <ActionList noun="Action" actions={draft.actions} path="actions" errors={errors} onChange={(actions) => set({ actions })} />
          {errors.actions && <p className="text-danger text-sm">{errors.actions}</p>}
          {!more && (
            <Button variant="quiet" className="self-start" onClick={() => setMore(true)}>
              Add actions on trigger and on resolve
            </Button>
          )}
        </div>
      </Panel>
      {more && (
        <>
          <Panel title="On trigger">
            <div className="p-4">
              <ActionList
                noun="Trigger action"
                actions={onTrigger}
                path="actions_on_trigger"
                errors={errors}
                onChange={(actions_on_trigger) => set({ actions_on_trigger })}
              />
            </div>
          </Panel>
          <Panel title="On resolve">
            <div className="p-4">
              <ActionList
                noun="Resolve action"
                actions={onResolve}
                path="actions_on_resolve"
                errors={errors}
                onChange={(actions_on_resolve) => set({ actions_on_resolve })}
              />
            </div>
          </Panel>
        </>
      )}
    </div>
  )
}
