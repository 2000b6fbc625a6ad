import { IconButton } from '../../ui/button.tsx'
import { ResourceLink } from '../events/resource-link.tsx'
import { PickOne } from './pick-one.tsx'
import { type ThingKind, useThings } from './use-things.ts'

interface ThingsFieldProps {
  readonly label: string
  readonly hint: string
  readonly kind: ThingKind
  /** Resource ids. */
  readonly ids: readonly string[]
  onChange(ids: string[]): void
}

/** Several things of a kind, each picked by name. */
export function ThingsField({ label, hint, kind, ids, onChange }: ThingsFieldProps) {
  const { choices, onSearch } = useThings(kind)
  const free = choices?.filter(({ value }) => !ids.includes(`prefect.${kind}.${value}`))
  return (
    <div className="flex flex-col gap-1.5">
      <PickOne
        label={label}
        hint={ids.length === 0 ? hint : undefined}
        choices={free}
        chosen={null}
        onChoose={(id) => onChange([...ids, `prefect.${kind}.${id}`])}
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
