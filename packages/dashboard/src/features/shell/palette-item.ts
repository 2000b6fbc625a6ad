import type { NavigateOptions } from '@tanstack/react-router'
import type { IconName } from '../../ui/icon.tsx'

export interface PaletteItem {
  readonly id: string
  readonly kind: string
  readonly label: string
  readonly icon: IconName
  /** Target page. Actions have `onSelect` instead. */
  readonly link?: NavigateOptions
  onSelect?(): void
}
