import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../../ui/icon.tsx'

export interface NavItem {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: IconName
  /** The second key after `g`. */
  readonly key: string
}

export interface NavGroup {
  /** Heading of the group. The last group has none. */
  readonly label?: string
  readonly items: readonly NavItem[]
}

/** Every page of the main navigation. The sidebar, the command palette and the shortcuts are built from this list. */
export const navGroups: readonly NavGroup[] = [
  {
    label: 'Workflows',
    items: [
      { to: '/dashboard', label: 'Home', icon: 'home', key: 'h' },
      { to: '/runs', label: 'Runs', icon: 'runs', key: 'r' },
      { to: '/flows', label: 'Flows', icon: 'flows', key: 'f' },
      { to: '/deployments', label: 'Deployments', icon: 'deployments', key: 'd' },
    ],
  },
  {
    label: 'Capacity',
    items: [
      { to: '/work-pools', label: 'Work pools', icon: 'pools', key: 'w' },
      { to: '/concurrency-limits', label: 'Concurrency', icon: 'limits', key: 'c' },
    ],
  },
  {
    label: 'Automate',
    items: [
      { to: '/events', label: 'Events', icon: 'events', key: 'e' },
      { to: '/automations', label: 'Automations', icon: 'automations', key: 'a' },
    ],
  },
  {
    label: 'Data',
    items: [
      { to: '/artifacts', label: 'Artifacts', icon: 'artifacts', key: 't' },
      { to: '/blocks', label: 'Blocks', icon: 'blocks', key: 'b' },
      { to: '/variables', label: 'Variables', icon: 'variables', key: 'v' },
    ],
  },
  { items: [{ to: '/settings', label: 'Settings', icon: 'settings', key: 's' }] },
]

export const navItems: readonly NavItem[] = navGroups.flatMap((group) => group.items)
