import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { automationQuery } from '../../api/automations.ts'
import { blockQuery } from '../../api/blocks.ts'
import { deploymentQuery } from '../../api/deployments.ts'
import { flowQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { workQueuesQuery } from '../../api/work-queues.ts'
import { kindLabel, parseResourceId, resourcePage } from './resource.ts'

interface ResourceProps {
  readonly id: string
  /** Name from the event. */
  readonly name?: string | undefined
  /** Day of the event. */
  readonly day?: string | undefined
}

/** Link to a resource of an event or trigger, by its name. */
export function ResourceLink({ id, name, day }: ResourceProps) {
  const { kind, key } = parseResourceId(id)
  const currentName = useResourceName(kind, key, name)
  const page = resourcePage(id, { name: kind === 'work-pool' ? currentName : name, day })
  const label = currentName ?? fallbackName(kind, key)
  return page ? (
    <Link to={page.to} search={page.search ?? {}} title={id} className="link">
      {label}
    </Link>
  ) : (
    <span title={id} className="font-mono text-sm">
      {label}
    </span>
  )
}

/** Kind and shortened id, for resources without a name. */
function fallbackName(kind: string, key: string): string {
  if (kind === 'event') return 'event'
  if (kind !== '' && key.includes('*')) return `any ${kindLabel(kind)}`
  return kind !== '' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(key) ? `${kindLabel(kind)} ${key.slice(-6)}` : key
}

/** Current name, loaded if the event has none. */
function useResourceName(kind: string, key: string, given: string | undefined): string | undefined {
  const optionsFor = (wanted: string) => ({ enabled: given === undefined && kind === wanted && !key.includes('*'), retry: false })
  const flow = useQuery({ ...flowQuery(key), ...optionsFor('flow') })
  const deployment = useQuery({ ...deploymentQuery(key), ...optionsFor('deployment') })
  const automation = useQuery({ ...automationQuery(key), ...optionsFor('automation') })
  const block = useQuery({ ...blockQuery(key), ...optionsFor('block-document') })
  const pools = useQuery({ ...workPoolsQuery(), ...optionsFor('work-pool') })
  const queues = useQuery({ ...workQueuesQuery(), ...optionsFor('work-queue') })
  if (given !== undefined) return given
  switch (kind) {
    case 'flow':
      return flow.data?.name
    case 'deployment':
      return deployment.data?.name
    case 'automation':
      return automation.data?.name
    case 'block-document':
      return block.data?.name ?? undefined
    case 'work-pool':
      return pools.data?.find(({ id }) => id === key)?.name
    case 'work-queue':
      return queues.data?.find(({ id }) => id === key)?.name
    default:
      return undefined
  }
}
