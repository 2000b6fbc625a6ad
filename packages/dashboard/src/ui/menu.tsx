import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './classes.ts'
import { Icon, type IconName } from './icon.tsx'
import { keepFocusOnClose } from './keep-focus.ts'

const panel = 'z-50 min-w-44 max-h-[70dvh] overflow-y-auto rounded-md bg-surface p-1 shadow-pop animate-rise'
const row =
  'flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 outline-none select-none data-[highlighted]:bg-hover data-[disabled]:text-faint data-[disabled]:pointer-events-none'

interface MenuProps {
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
}

export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} onCloseAutoFocus={keepFocusOnClose} className={panel}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ItemProps {
  readonly icon?: IconName
  readonly danger?: boolean
  readonly disabled?: boolean
  onSelect(): void
  readonly children: ReactNode
}

export function MenuItem({ icon, danger = false, disabled = false, onSelect, children }: ItemProps) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={classNames(row, danger && 'text-danger')}>
      {icon ? <Icon name={icon} size={15} className={danger ? undefined : 'text-faint'} /> : <span className="w-[15px]" />}
      {children}
    </Radix.Item>
  )
}

interface CheckProps {
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly children: ReactNode
}

/** The menu stays open, so that several items can be checked. */
export function MenuCheck({ checked, onChange, children }: CheckProps) {
  return (
    <Radix.CheckboxItem checked={checked} onCheckedChange={onChange} onSelect={(event) => event.preventDefault()} className={row}>
      <span
        className={classNames('grid size-4 place-items-center rounded-sm border', checked ? 'border-accent bg-accent text-on-accent' : 'border-edge')}
      >
        {checked && <Icon name="check" size={12} />}
      </span>
      {children}
    </Radix.CheckboxItem>
  )
}

interface ChoiceProps<V extends string> {
  readonly value: V
  onChange(value: V): void
  readonly options: readonly { readonly value: V; readonly label: ReactNode }[]
}

export function MenuChoice<V extends string>({ value, onChange, options }: ChoiceProps<V>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as V)}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={row}>
          <span className="w-4">{option.value === value && <Icon name="check" size={14} className="text-accent" />}</span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="px-2 pt-2 pb-1 font-medium text-faint text-sm">{children}</Radix.Label>
)

export const MenuSeparator = () => <Radix.Separator className="my-1 h-px bg-line" />
