import type { NavigateOptions } from '@tanstack/react-router'
import type { IconName } from '../../ui/icon.tsx'

export interface PaletteItem {
  readonly id: string
  readonly kind: string
  readonly label: string
  readonly icon: IconName
  /** Where it leads, or what it does. */
  readonly link?: NavigateOptions
  onSelect?(): void
}
