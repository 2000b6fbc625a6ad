import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { type ActionDraft, type ActionType, actionKinds, createAction, isActionType } from './action-kinds.ts'
import { MessageFields } from './message-fields.tsx'
import { RunDeploymentFields } from './run-deployment-fields.tsx'
import { StateFields } from './state-fields.tsx'
import { TargetFields } from './target-fields.tsx'

const groups = [...new Set(Object.values(actionKinds).map(({ group }) => group))]

interface ActionEditorProps {
  readonly action: ActionDraft
  /** `Action 1`. */
  readonly title: string
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  onChange(action: ActionDraft): void
  onRemove(): void
}

/** Type of an action and the fields of that type. */
export function ActionEditor({ action, title, path, errors, onChange, onRemove }: ActionEditorProps) {
  const set = (change: object) => onChange({ ...action, ...change } as ActionDraft)
  const errorAt = (field: string) => errors[`${path}.${field}`]
  const { type } = action
  return (
    <fieldset className="flex flex-col gap-4 [&>[role=group]]:self-start rounded-md border border-line p-3">
      <legend className="sr-only">{title}</legend>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field label={title} error={errors[path]}>
            {(control) => (
              <select
                {...control}
                value={type}
                onChange={(event) => onChange(createAction(event.target.value as ActionType, action))}
                className="field w-full"
              >
                {groups.map((group) => (
                  <optgroup key={group} label={group}>
                    {Object.entries(actionKinds)
                      .filter(([, kind]) => kind.group === group)
                      .map(([value, { label }]) => (
                        <option key={value} value={value}>
                          {label}
                        </option>
                      ))}
                  </optgroup>
                ))}
              </select>
            )}
          </Field>
        </div>
        <IconButton icon="trash" label={`Remove ${title.toLowerCase()}`} onClick={onRemove} />
      </div>
      {isActionType(type) && actionKinds[type].target && (
        <TargetFields action={action} field={actionKinds[type].target} errorAt={errorAt} onChange={onChange} />
      )}
      {action.type === 'run-deployment' && <RunDeploymentFields action={action} errorAt={errorAt} onChange={set} />}
      {action.type === 'change-flow-run-state' && <StateFields action={action} errorAt={errorAt} onChange={set} />}
      {(action.type === 'send-notification' || action.type === 'call-webhook') && <MessageFields action={action} errorAt={errorAt} onChange={set} />}
    </fieldset>
  )
}
