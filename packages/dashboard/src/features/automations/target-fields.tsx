import { Segmented } from '../../ui/segmented.tsx'
import { type ActionDraft, type TargetField, targetKinds } from './action-kinds.ts'
import { PickOne } from './pick-one.tsx'
import { type ThingKind, useDeployment, useThings } from './use-things.ts'

interface TargetFieldsProps {
  readonly action: ActionDraft
  readonly field: TargetField
  faultAt(field: string): string | undefined
  onChange(action: ActionDraft): void
}

/** What an action is done to: one that is named, or the one that the event is about. */
export function TargetFields({ action, field, faultAt, onChange }: TargetFieldsProps) {
  const kind = targetKinds[field] as ThingKind
  const word = kind.replaceAll('-', ' ')
  const { choices, onSearch } = useThings(kind)
  const { source = 'selected', [field]: chosen } = action as { source?: 'selected' | 'inferred' } & Partial<Record<TargetField, string | null>>
  const deployment = useDeployment(kind === 'deployment' ? chosen : undefined)
  return (
    <>
      <Segmented
        label={`Which ${word}`}
        value={source}
        options={[
          { value: 'selected', label: `This ${word}` },
          { value: 'inferred', label: 'The one of the event' },
        ]}
        onChange={(next) => {
          const { [field]: _named, ...rest } = action as unknown as Record<string, unknown>
          onChange({ ...rest, source: next } as unknown as ActionDraft)
        }}
      />
      {source === 'selected' && (
        <PickOne
          label={word.charAt(0).toUpperCase() + word.slice(1)}
          choices={choices}
          chosen={chosen}
          chosenLabel={deployment?.name}
          error={faultAt(field)}
          onChoose={(id) => onChange({ ...action, source: 'selected', [field]: id } as ActionDraft)}
          {...(onSearch && { onSearch })}
        />
      )}
      {source === 'inferred' && faultAt(field) && <p className="text-danger text-sm">{faultAt(field)}</p>}
    </>
  )
}
