import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { deploymentsQuery } from '../../api/deployments.ts'
import { flowRunsQuery } from '../../api/flow-runs.ts'
import { flowsQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { navItems } from './navigation.ts'
import { paletteActions } from './palette-actions.ts'
import type { PaletteItem } from './palette-item.ts'

const resultsMax = 5

/** What is called like that: pages at once, the rest as the server finds it. An id finds its run. */
export function usePaletteItems(text: string): PaletteItem[] {
  const word = text.trim()
  // Pages follow every key, so that Enter goes where one looks; the server is asked when the typing pauses.
  const settled = useDebounced(word)
  const asked = { enabled: settled.length > 1, placeholderData: keepPreviousData } as const
  const like = { like_: settled }
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(settled)
  const flows = useQuery({ ...flowsQuery({ flows: { name: like }, limit: resultsMax }), ...asked })
  const deployments = useQuery({ ...deploymentsQuery({ deployments: { name: like }, limit: resultsMax }), ...asked })
  const runs = useQuery({ ...flowRunsQuery({ flow_runs: isId ? { id: { any_: [settled] } } : { name: like }, limit: resultsMax }), ...asked })
  const pools = useQuery({ ...workPoolsQuery(), enabled: asked.enabled })

  /** While the server is asked about the new word there are still the answers to the last. */
  const matches = ({ label, id }: Pick<PaletteItem, 'label' | 'id'>) => label.toLowerCase().includes(word.toLowerCase()) || id === word.toLowerCase()
  const pages = navItems
    .filter((place) => matches({ label: place.label, id: '' }))
    .map((place): PaletteItem => ({ id: place.to, kind: 'Page', label: place.label, icon: place.icon, link: { to: place.to } }))
  const lower = word.toLowerCase()
  const actions = paletteActions.filter(({ label, words }) => `${label} ${words}`.toLowerCase().includes(lower))
  if (word.length < 2) return [...pages, ...actions]
  const things = [
    ...(flows.data ?? []).map((flow): PaletteItem => {
      return { id: flow.id, kind: 'Flow', label: flow.name, icon: 'flows', link: { to: '/flows/flow/$id', params: { id: flow.id } } }
    }),
    ...(deployments.data ?? []).map((deployment): PaletteItem => {
      const link = { to: '/deployments/deployment/$id', params: { id: deployment.id } } as const
      return { id: deployment.id, kind: 'Deployment', label: deployment.name, icon: 'deployments', link }
    }),
    ...(runs.data ?? []).map((run): PaletteItem => {
      return { id: run.id, kind: 'Run', label: run.name, icon: 'runs', link: { to: '/runs/flow-run/$id', params: { id: run.id } } }
    }),
    ...(pools.data ?? []).map((pool): PaletteItem => {
      const link = { to: '/work-pools/work-pool/$name', params: { name: pool.name } } as const
      return { id: pool.id, kind: 'Work pool', label: pool.name, icon: 'pools', link }
    }),
  ]
  return [...pages, ...actions, ...things.filter(matches)]
}
