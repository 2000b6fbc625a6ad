import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classNames } from './classes.ts'
import { Icon, type IconName } from './icon.tsx'
import { Tooltip } from './tooltip.tsx'

const variants = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-rim hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-danger border-rim hover:bg-danger-wash',
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: keyof typeof variants
  readonly icon?: IconName
  /** Keeps its size and ignores further presses while the action runs. */
  readonly busy?: boolean
  readonly children?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

const shared =
  'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 disabled:pointer-events-none aria-disabled:opacity-50'

/** Button style for a link. */
export const buttonClass = (variant: keyof typeof variants = 'plain') => classNames(shared, 'h-8 px-3', variants[variant])

export function Button({ variant = 'plain', icon, busy = false, children, className, disabled, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} disabled={disabled || busy} aria-busy={busy || undefined} className={classNames(buttonClass(variant), className)}>
      {icon && <Icon name={icon} size={15} className={busy ? 'animate-pulse' : undefined} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconName
  /** Accessible name and tooltip. */
  readonly label: string
  readonly keys?: string
}

export function IconButton({ icon, label, keys, variant = 'quiet', className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys === undefined ? {} : { keys })}>
      <button type="button" aria-label={label} {...rest} className={classNames(shared, 'size-8', variants[variant], className)}>
        <Icon name={icon} />
      </button>
    </Tooltip>
  )
}

interface IconLinkProps {
  readonly icon: IconName
  /** Accessible name and tooltip. */
  readonly label: string
  /** An address outside the dashboard, opened in a tab of its own. */
  readonly href: string
  readonly className?: string
}

export function IconLink({ icon, label, href, className }: IconLinkProps) {
  return (
    <Tooltip text={label}>
      <a href={href} target="_blank" rel="noopener" aria-label={label} className={classNames(shared, 'size-8', variants.quiet, className)}>
        <Icon name={icon} />
      </a>
    </Tooltip>
  )
}
