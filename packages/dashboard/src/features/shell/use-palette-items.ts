import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { deploymentsQuery } from '../../api/deployments.ts'
import { flowRunsQuery } from '../../api/flow-runs.ts'
import { flowsQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { navItems } from './navigation.ts'
import { type PaletteItem, paletteActions } from './palette-actions.ts'

const resultsMax = 5

/** Items that match a text: pages immediately, others when the server responds. A run id matches its run. */
export function usePaletteItems(text: string): PaletteItem[] {
  const query = text.trim()
  // Pages update on every key, so that Enter opens what is shown. Server queries wait for a pause in typing.
  const debounced = useDebounced(query)
  const asked = { enabled: debounced.length > 1, placeholderData: keepPreviousData } as const
  const like = { like_: debounced }
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(debounced)
  const flows = useQuery({ ...flowsQuery({ flows: { name: like }, limit: resultsMax }), ...asked })
  const deployments = useQuery({ ...deploymentsQuery({ deployments: { name: like }, limit: resultsMax }), ...asked })
  const runs = useQuery({ ...flowRunsQuery({ flow_runs: isId ? { id: { any_: [debounced] } } : { name: like }, limit: resultsMax }), ...asked })
  const pools = useQuery({ ...workPoolsQuery(), enabled: asked.enabled })

  /** Until the server responds, the results are those of the previous text. */
  const matches = ({ label, id }: Pick<PaletteItem, 'label' | 'id'>) =>
    label.toLowerCase().includes(query.toLowerCase()) || id === query.toLowerCase()
  const pages = navItems
    .filter((item) => matches({ label: item.label, id: '' }))
    .map((item): PaletteItem => ({ id: item.to, kind: 'Page', label: item.label, icon: item.icon, link: { to: item.to } }))
  const lower = query.toLowerCase()
  const actions = paletteActions.filter(({ label, words }) => `${label} ${words}`.toLowerCase().includes(lower))
  if (query.length < 2) return [...pages, ...actions]
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
