import { Switch as Radix } from 'radix-ui'

interface RowSwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  onChange(checked: boolean): void
}

/** Switch without a visible label, for table rows. */
export function RowSwitch({ label, checked, disabled = false, onChange }: RowSwitchProps) {
  return (
    <Radix.Root
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      className="relative inline-block h-5 w-9 shrink-0 rounded-full bg-edge align-middle transition-colors data-[state=checked]:bg-accent disabled:opacity-50"
    >
      <Radix.Thumb className="block size-4 translate-x-0.5 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-4.5" />
    </Radix.Root>
  )
}
