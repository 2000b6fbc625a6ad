import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../../ui/icon.tsx'

export interface Place {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: IconName
  /** The second key after `g`. */
  readonly key: string
}

export interface PlaceGroup {
  readonly label: string
  readonly places: readonly Place[]
}

/** Every place of the application: the sidebar, the palette and the shortcuts are made from this list. */
export const placeGroups: readonly PlaceGroup[] = [
  {
    label: 'Work',
    places: [
      { to: '/dashboard', label: 'Home', icon: 'home', key: 'h' },
      { to: '/runs', label: 'Runs', icon: 'runs', key: 'r' },
      { to: '/flows', label: 'Flows', icon: 'flows', key: 'f' },
      { to: '/deployments', label: 'Deployments', icon: 'deployments', key: 'd' },
    ],
  },
  {
    label: 'Capacity',
    places: [
      { to: '/work-pools', label: 'Work pools', icon: 'pools', key: 'w' },
      { to: '/concurrency-limits', label: 'Concurrency', icon: 'limits', key: 'c' },
    ],
  },
  {
    label: 'Happenings',
    places: [
      { to: '/events', label: 'Events', icon: 'events', key: 'e' },
      { to: '/automations', label: 'Automations', icon: 'automations', key: 'a' },
    ],
  },
  {
    label: 'Kept',
    places: [
      { to: '/artifacts', label: 'Artifacts', icon: 'artifacts', key: 't' },
      { to: '/blocks', label: 'Blocks', icon: 'blocks', key: 'b' },
      { to: '/variables', label: 'Variables', icon: 'variables', key: 'v' },
      { to: '/settings', label: 'Settings', icon: 'settings', key: 's' },
    ],
  },
]

export const places: readonly Place[] = placeGroups.flatMap((group) => group.places)
