import type { NavigateOptions } from '@tanstack/react-router'
import { basePath } from '../../api/client.ts'
import type { IconName } from '../../ui/icon.tsx'
import { setPreferences } from '../../ui/preferences.ts'

export interface PaletteItem {
  readonly id: string
  readonly kind: string
  readonly label: string
  readonly icon: IconName
  /** Target page. Actions have `onSelect` instead. */
  readonly link?: NavigateOptions
  onSelect?(): void
}

/** Global actions, with extra search words. */
export const paletteActions: readonly (PaletteItem & { readonly words: string })[] = [
  {
    id: 'new-automation',
    kind: 'Action',
    label: 'New automation',
    words: 'create trigger notify alert',
    icon: 'automations',
    link: { to: '/automations/create' },
  },
  { id: 'new-block', kind: 'Action', label: 'New block', words: 'create secret credentials', icon: 'blocks', link: { to: '/blocks/catalog' } },
  {
    id: 'failed',
    kind: 'Action',
    label: 'Show failed runs',
    words: 'broken crashed errors',
    icon: 'runs',
    link: { to: '/runs', search: { state: ['Failed', 'Crashed'] } },
  },
  { id: 'late', kind: 'Action', label: 'Show late runs', words: 'stuck waiting', icon: 'clock', link: { to: '/runs', search: { state: ['Late'] } } },
  {
    id: 'running',
    kind: 'Action',
    label: 'Show running runs',
    words: 'now active',
    icon: 'play',
    link: { to: '/runs', search: { state: ['Running'] } },
  },
  {
    id: 'documentation',
    kind: 'Action',
    label: 'Documentation',
    words: 'help manual guide reference',
    icon: 'documentation',
    onSelect: () => void window.open(`${basePath}/help/`, '_blank', 'noopener'),
  },
  { id: 'dark', kind: 'Action', label: 'Dark theme', words: 'night appearance', icon: 'moon', onSelect: () => setPreferences({ theme: 'dark' }) },
  { id: 'light', kind: 'Action', label: 'Light theme', words: 'day appearance', icon: 'sun', onSelect: () => setPreferences({ theme: 'light' }) },
  {
    id: 'system',
    kind: 'Action',
    label: 'System theme',
    words: 'appearance dark light',
    icon: 'system',
    onSelect: () => setPreferences({ theme: 'system' }),
  },
]
