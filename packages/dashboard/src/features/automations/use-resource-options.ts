import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { automationsQuery } from '../../api/automations.ts'
import { blocksQuery } from '../../api/blocks.ts'
import { deploymentQuery, deploymentsQuery } from '../../api/deployments.ts'
import { flowsQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { workQueuesQuery } from '../../api/work-queues.ts'
import type { SelectOption } from '../../ui/searchable-select.tsx'

/** Kinds of resources that triggers and actions refer to. */
export type ResourceKind = 'flow' | 'deployment' | 'work-pool' | 'work-queue' | 'automation'

const optionsMax = 50

/** Options of a kind. The server filters kinds with many items. */
export function useResourceOptions(kind: ResourceKind): { choices: SelectOption[] | undefined; onSearch: ((text: string) => void) | undefined } {
  const [text, setText] = useState('')
  const query = useDeferredValue(text)
  const named = query ? { name: { like_: query } } : undefined
  const flows = useQuery({ ...flowsQuery({ flows: named, limit: optionsMax }), enabled: kind === 'flow' })
  const deployments = useQuery({ ...deploymentsQuery({ deployments: named, limit: optionsMax }), enabled: kind === 'deployment' })
  const pools = useQuery({ ...workPoolsQuery(), enabled: kind === 'work-pool' })
  const queues = useQuery({ ...workQueuesQuery(), enabled: kind === 'work-queue' })
  const automations = useQuery({ ...automationsQuery({ limit: 200 }), enabled: kind === 'automation' })
  switch (kind) {
    case 'flow':
      return { choices: flows.data?.map(({ id, name }) => ({ value: id, label: name })), onSearch: setText }
    case 'deployment':
      return {
        choices: deployments.data?.map(({ id, name, work_pool_name }) => ({ value: id, label: name, note: work_pool_name ?? undefined })),
        onSearch: setText,
      }
    case 'work-pool':
      return { choices: pools.data?.map(({ id, name, type }) => ({ value: id, label: name, note: type })), onSearch: undefined }
    case 'work-queue':
      return {
        choices: queues.data?.map(({ id, name, work_pool_name }) => ({ value: id, label: name, note: work_pool_name ?? undefined })),
        onSearch: undefined,
      }
    case 'automation':
      return { choices: automations.data?.map(({ id, name }) => ({ value: id, label: name })), onSearch: undefined }
  }
}

/** Selected deployment, which need not be among the options. */
export function useDeployment(id: string | null | undefined) {
  return useQuery({ ...deploymentQuery(id ?? ''), enabled: Boolean(id) }).data ?? undefined
}

/** Notification blocks or webhook blocks. */
export function useMessageBlockOptions(what: 'notify' | 'webhook'): SelectOption[] | undefined {
  const filter =
    what === 'notify' ? { block_schemas: { block_capabilities: { all_: ['notify'] } } } : { block_types: { slug: { any_: ['webhook'] } } }
  const { data } = useQuery(blocksQuery({ ...filter, limit: 200 }))
  return data?.map(({ id, name, block_type_name, block_type }) => ({ value: id, label: name ?? id, note: block_type_name ?? block_type?.name }))
}
