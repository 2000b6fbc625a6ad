import type { Config } from '../config.ts'
import { strftime } from '../lib/template/strftime.ts'
import { type Filter, TemplateObject, Time, type Value } from '../lib/template/values.ts'

/** Paths of the dashboard by resource kind. */
const pages: Readonly<Record<string, string>> = {
  flow: 'flows/flow',
  'flow-run': 'runs/flow-run',
  'task-run': 'runs/task-run',
  'block-document': 'blocks/block',
  'work-pool': 'work-pools/work-pool',
  'work-queue': 'work-queues/work-queue',
  'concurrency-limit': 'concurrency-limits/concurrency-limit',
  deployment: 'deployments/deployment',
  automation: 'automations/automation',
}

const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** The base URL of the dashboard. */
export function dashboardUrl({ server }: Config): string {
  if (server.ui_url !== '') return server.ui_url
  const host = server.host === '0.0.0.0' || server.host === '::' ? '127.0.0.1' : server.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${server.port}${server.base_path}`
}

export const eventUrl = (base: string, id: string, occurred: number): string => `${base}/events/event/${strftime(occurred, '%Y-%m-%d')}/${id}`

/** The template filters `ui_url` and `ui_resource_events_url`, which link to the dashboard. */
export const linkFilters = (base: string): ReadonlyMap<string, Filter> =>
  new Map<string, Filter>([
    ['ui_url', (_run, value) => urlOf(base, value)],
    [
      'ui_resource_events_url',
      (_run, value) => {
        const id = value instanceof TemplateObject ? resourceIdOf(value) : undefined
        return id === undefined ? null : `${base}/events?resource=${encodeURIComponent(id)}`
      },
    ],
  ])

function urlOf(base: string, value: Value): string | null {
  if (!(value instanceof TemplateObject)) return null
  const id = text(value.attributes.get('id'))
  if (value.kind === 'received-event') {
    const occurred = value.attributes.get('occurred')
    return id !== undefined && occurred instanceof Time ? eventUrl(base, id, occurred.micros) : null
  }
  const [kind, key] =
    value.kind === 'resource' ? splitResourceId(id ?? '') : [value.kind, value.kind === 'work-pool' ? text(value.attributes.get('name')) : id]
  const page = Object.hasOwn(pages, kind) ? pages[kind] : undefined
  return page && key ? `${base}/${page}/${encodeURIComponent(key)}` : null
}

/** Splits `prefect.flow-run.<uuid>` into kind and id. */
function splitResourceId(id: string): [string, string | undefined] {
  const match = /^prefect\.([^.]+)\.(.+)$/.exec(id)
  return match ? [match[1] as string, match[2]] : ['', undefined]
}

function resourceIdOf(model: TemplateObject): string | undefined {
  const id = text(model.attributes.get('id'))
  if (model.kind === 'resource') return id
  return id !== undefined && model.kind in pages ? `prefect.${model.kind}.${id}` : undefined
}
