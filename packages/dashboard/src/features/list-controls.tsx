import { Button } from '../ui/button.tsx'
import { Menu, MenuChoice, MenuLabel } from '../ui/menu.tsx'

interface SortMenuProps<S extends string> {
  readonly sorts: Readonly<Record<S, { readonly label: string }>>
  readonly value: S
  onChange(sort: S): void
}

/** The order of a list. */
export function SortMenu<S extends string>({ sorts, value, onChange }: SortMenuProps<S>) {
  return (
    <Menu trigger={<Button icon="runs" variant="quiet" aria-label="Sort" />}>
      <MenuLabel>Sort by</MenuLabel>
      <MenuChoice
        value={value}
        onChange={onChange}
        options={(Object.entries(sorts) as [S, { label: string }][]).map(([each, { label }]) => ({ value: each, label }))}
      />
    </Menu>
  )
}
