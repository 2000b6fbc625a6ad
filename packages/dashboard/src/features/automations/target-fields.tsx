import { SearchableSelect } from '../../ui/searchable-select.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { type ActionDraft, type TargetField, targetKindByField } from './action-kinds.ts'
import { type ResourceKind, useDeployment, useResourceOptions } from './use-resource-options.ts'

interface TargetFieldsProps {
  readonly action: ActionDraft
  readonly field: TargetField
  errorAt(field: string): string | undefined
  onChange(action: ActionDraft): void
}

/** Target of an action: a selected resource, or the one of the event. */
export function TargetFields({ action, field, errorAt, onChange }: TargetFieldsProps) {
  const kind = targetKindByField[field] as ResourceKind
  const noun = kind.replaceAll('-', ' ')
  const { choices, onSearch } = useResourceOptions(kind)
  const { source = 'selected', [field]: chosen } = action as { source?: 'selected' | 'inferred' } & Partial<Record<TargetField, string | null>>
  const deployment = useDeployment(kind === 'deployment' ? chosen : undefined)
  return (
    <>
      <SegmentedControl
        label={`Which ${noun}`}
        value={source}
        options={[
          { value: 'selected', label: `This ${noun}` },
          { value: 'inferred', label: 'From the event' },
        ]}
        onChange={(next) => {
          const { [field]: _named, ...rest } = action as unknown as Record<string, unknown>
          onChange({ ...rest, source: next } as unknown as ActionDraft)
        }}
      />
      {source === 'selected' && (
        <SearchableSelect
          label={noun.charAt(0).toUpperCase() + noun.slice(1)}
          options={choices}
          value={chosen}
          valueLabel={deployment?.name}
          error={errorAt(field)}
          onChange={(id) => onChange({ ...action, source: 'selected', [field]: id } as ActionDraft)}
          {...(onSearch && { onSearch })}
        />
      )}
      {source === 'inferred' && errorAt(field) && <p className="text-danger text-sm">{errorAt(field)}</p>}
    </>
  )
}
