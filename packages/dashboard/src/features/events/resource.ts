/** Page that shows a resource. */
export interface ResourcePage {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

export interface ResourceId {
  /** `flow-run`, `tag`; empty for resources outside this server. */
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

/** Page paths contain the name of a pool (from the event) and the day of an event. */
export function resourcePage(id: string, { name, day }: { name?: string | undefined; day?: string | undefined } = {}): ResourcePage | undefined {
  const { kind, key } = parseResourceId(id)
  if (kind === 'tag') return { to: '/runs', search: { tag: key } }
  if (kind === 'event') return day === undefined ? undefined : { to: `/events/event/${day}/${key}` }
  if (Object.hasOwn(lists, kind)) return { to: lists[kind] as string }
  const page = Object.hasOwn(pages, kind) ? pages[kind] : undefined
  return page === undefined || key.includes('*') ? undefined : { to: page + encodeURIComponent(kind === 'work-pool' ? (name ?? key) : key) }
}

/** `2030-01-31`, for the URL of an event. */
export const eventDay = (time: string): string => time.slice(0, 10)

/** `flow run` for `flow-run`. */
export const kindLabel = (kind: string): string => kind.replaceAll('-', ' ')
