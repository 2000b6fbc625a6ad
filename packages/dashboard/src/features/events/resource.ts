/** Where a resource of an event is shown, and what it is. */
export interface ResourcePage {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

export interface ResourceId {
  /** `flow-run`, `tag`; empty for resources that are not of this server. */
  readonly kind: string
  readonly key: string
}

export function parseResourceId(id: string): ResourceId {
  const [, kind = '', key = id] = /^prefect\.([a-z-]+)\.(.+)$/.exec(id) ?? []
  return { kind, key }
}

const pages: Readonly<Record<string, string>> = {
  flow: '/flows/flow/',
  'flow-run': '/runs/flow-run/',
  'task-run': '/runs/task-run/',
  deployment: '/deployments/deployment/',
  'work-pool': '/work-pools/work-pool/',
  'work-queue': '/work-queues/work-queue/',
  automation: '/automations/automation/',
  'block-document': '/blocks/block/',
  artifact: '/artifacts/artifact/',
}

const lists: Readonly<Record<string, string>> = { variable: '/variables', 'concurrency-limit': '/concurrency-limits' }

/** Pools are shown by their names, which events bring along; an event by the day it happened on. */
export function resourcePage(id: string, { name, day }: { name?: string | undefined; day?: string | undefined } = {}): ResourcePage | undefined {
  const { kind, key } = parseResourceId(id)
  if (kind === 'tag') return { to: '/runs', search: { tag: key } }
  if (kind === 'event') return day === undefined ? undefined : { to: `/events/event/${day}/${key}` }
  if (Object.hasOwn(lists, kind)) return { to: lists[kind] as string }
  const page = Object.hasOwn(pages, kind) ? pages[kind] : undefined
  return page === undefined || key.includes('*') ? undefined : { to: page + encodeURIComponent(kind === 'work-pool' ? (name ?? key) : key) }
}

/** `2030-01-31`, as it stands in the address of an event. */
export const eventDay = (time: string): string => time.slice(0, 10)

/** `flow run`, as people say it. */
export const kindLabel = (kind: string): string => kind.replaceAll('-', ' ')
