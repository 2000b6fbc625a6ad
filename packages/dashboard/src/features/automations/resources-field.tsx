import { IconButton } from '../../ui/button.tsx'
import { SearchableSelect } from '../../ui/searchable-select.tsx'
import { ResourceLink } from '../events/resource-link.tsx'
import { type ResourceKind, useResourceOptions } from './use-resource-options.ts'

interface ResourcesFieldProps {
  readonly label: string
  readonly hint: string
  readonly kind: ResourceKind
  readonly ids: readonly string[]
  onChange(ids: string[]): void
}

/** Selects several resources of a kind by name. */
export function ResourcesField({ label, hint, kind, ids, onChange }: ResourcesFieldProps) {
  const { choices, onSearch } = useResourceOptions(kind)
  const free = choices?.filter(({ value }) => !ids.includes(`prefect.${kind}.${value}`))
  return (
    <div className="flex flex-col gap-1.5">
      <SearchableSelect
        label={label}
        hint={ids.length === 0 ? hint : undefined}
        options={free}
        value={null}
        onChange={(id) => onChange([...ids, `prefect.${kind}.${id}`])}
        {...(onSearch && { onSearch })}
      />
      {ids.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {ids.map((id) => (
            <li key={id} className="flex items-center rounded-full bg-wash pl-2.5 text-sm">
              <ResourceLink id={id} />
              <IconButton icon="cross" label="Remove" className="size-6" onClick={() => onChange(ids.filter((each) => each !== id))} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
