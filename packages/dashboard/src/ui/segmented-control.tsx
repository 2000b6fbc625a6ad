import { ToggleGroup } from 'radix-ui'

interface SegmentedControlProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly options: readonly { readonly value: V; readonly label: string }[]
  onChange(value: V): void
}

/** Radio group for a few options, all visible. */
export function SegmentedControl<V extends string>({ label, value, options, onChange }: SegmentedControlProps<V>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => next && onChange(next as V)}
      className="inline-flex rounded-md bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="h-6 rounded-sm px-2 text-soft text-sm hover:text-ink data-[state=on]:bg-surface dark:data-[state=on]:bg-hover data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-card"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
