import { Button } from '../../ui/button.tsx'
import { ActionEditor } from './action-editor.tsx'
import { type ActionDraft, createAction } from './action-kinds.ts'
import { useRowKeys } from './use-row-keys.ts'

interface ActionListProps {
  readonly actions: readonly ActionDraft[]
  /** `actions`, `actions_on_trigger` or `actions_on_resolve`. */
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  /** Singular noun of the list. */
  readonly noun: string
  onChange(actions: ActionDraft[]): void
}

export function ActionList({ actions, path, errors, noun, onChange }: ActionListProps) {
  const rows = useRowKeys(actions.length)
  return (
    <div className="flex flex-col gap-3">
      {actions.map((action, index) => (
        <ActionEditor
          key={rows.keys[index]}
          title={`${noun} ${index + 1}`}
          action={action}
          path={`${path}.${index}`}
          errors={errors}
          onChange={(next) => onChange(actions.map((each, place) => (place === index ? next : each)))}
          onRemove={() => {
            rows.removed(index)
            onChange(actions.filter((_, position) => position !== index))
          }}
        />
      ))}
      <Button icon="plus" className="self-start" onClick={() => onChange([...actions, createAction('send-notification', undefined)])}>
        {actions.length === 0 ? `Add ${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun.toLowerCase()}` : `Add another ${noun.toLowerCase()}`}
      </Button>
    </div>
  )
}
