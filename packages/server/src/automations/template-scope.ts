import { readLimitUsage, toLimitResponse } from '../domains/concurrency-limits/store.ts'
import { toDeploymentResponses } from '../domains/deployments/response.ts'
import { readDeployment } from '../domains/deployments/store.ts'
import { readFlowRun, toFlowRunResponse } from '../domains/flow-runs/store.ts'
import { readFlow, toFlowResponse } from '../domains/flows/store.ts'
import { readTaskRun, toTaskRunResponse } from '../domains/task-runs/store.ts'
import { toPoolResponse } from '../domains/work-pools/response.ts'
import { readPoolByName, readPoolName } from '../domains/work-pools/store.ts'
import { readHealth } from '../domains/work-queues/health.ts'
import { toQueueResponse } from '../domains/work-queues/response.ts'
import { countPoolSlots } from '../domains/work-queues/slot-usage.ts'
import { readQueue } from '../domains/work-queues/store.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { parseJson, writeJson } from '../lib/json.ts'
import { fromJsonValue } from '../lib/template/json.ts'
import { listUsedNames } from '../lib/template/template.ts'
import { TemplateObject, type Value } from '../lib/template/values.ts'
import { toMicros } from '../lib/time.ts'
import { statement } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { dashboardUrl, eventUrl } from './template-links.ts'
import { eventModel, firingModel, labelsModel, runModel, toModel } from './template-models.ts'
import { firstOfKind, type TriggerFacts } from './trigger-facts.ts'

type Json = Readonly<Record<string, unknown>>

const allVariables = statement('select name, value from variable order by name')

/** Converts an API response to plain JSON: stored JSON is parsed, numbers keep their text. */
const toPlainJson = (response: unknown): Json => parseJson(writeJson(response)) as Json

type Loader = (context: ServerContext, id: string, about: ResourceLabels) => Promise<TemplateObject | undefined>

/** Loads template variables by name. Each is the first resource of its kind in the event. */
const loaders: Readonly<Record<string, Loader>> = {
  async flow({ reads }, id) {
    const row = await readFlow(reads, id)
    return row && toModel('flow', toPlainJson(toFlowResponse(row)))
  },
  async flow_run({ reads, clock }, id, about) {
    const row = await readFlowRun(reads, id)
    return row && runModel('flow-run', toPlainJson(toFlowRunResponse(row, clock.now())), about)
  },
  async task_run({ reads, clock }, id, about) {
    const row = await readTaskRun(reads, id)
    return row && runModel('task-run', toPlainJson(toTaskRunResponse(row, clock.now())), about)
  },
  async deployment(context, id) {
    const row = await readDeployment(context.reads, id)
    const [response] = row ? await toDeploymentResponses(context, context.reads, [row]) : []
    return response && toModel('deployment', toPlainJson(response))
  },
  async work_pool({ reads }, id) {
    const name = await readPoolName(reads, id)
    const row = name === undefined ? undefined : await readPoolByName(reads, name)
    return row && toModel('work-pool', toPlainJson(toPoolResponse(row, (await countPoolSlots(reads, [id])).get(id) ?? 0)))
  },
  async work_queue({ reads, clock }, id) {
    const row = await readQueue(reads, id)
    return row && toModel('work-queue', { ...toPlainJson(toQueueResponse(row, 0)), ...toPlainJson(await readHealth(reads, row, clock.now())) })
  },
  async concurrency_limit({ reads, clock, config }, id) {
    const now = clock.now()
    const row = await readLimitUsage(reads, id, { now, graceSeconds: config.services.lease_expiration.every_seconds })
    return row && toModel('concurrency-limit', toPlainJson(toLimitResponse(row, now)))
  },
}

/** The variables of an action's templates. A resource is loaded only when a template uses it. */
export async function templateScope(context: ServerContext, facts: TriggerFacts, templates: readonly string[]): Promise<Map<string, Value>> {
  const base = dashboardUrl(context.config)
  const urlOf = (event: Json): string => eventUrl(base, String(event.id), toMicros(String(event.occurred)))
  const firing = firingModel(facts.firing, urlOf)
  const firings = flattenFirings(firing)
  const scope = new Map<string, Value>([
    ['automation', toModel('automation', facts.automation)],
    ['event', facts.event && eventModel(facts.event, urlOf(facts.event))],
    ['labels', labelsModel(facts.labels)],
    ['firing', firing],
    ['firings', firings],
    ['events', firings.flatMap(({ attributes }) => attributes.get('triggering_event') ?? [])],
  ])
  const names = listUsedNames(templates)
  if (facts.event) for (const name of names) if (Object.hasOwn(loaders, name)) scope.set(name, (await loadResource(context, facts, name)) ?? null)
  if (names.has('variables')) scope.set('variables', await readVariables(context))
  return scope
}

async function loadResource(context: ServerContext, facts: TriggerFacts, name: string): Promise<TemplateObject | undefined> {
  const found = firstOfKind(facts.event, `prefect.${name.replaceAll('_', '-')}`)
  return found && (loaders[name] as Loader)(context, found.id, found.resource)
}

const flattenFirings = (firing: TemplateObject): TemplateObject[] => {
  const inner = firing.attributes.get('triggering_firings')
  return [firing, ...(Array.isArray(inner) ? inner : []).flatMap((one) => (one instanceof TemplateObject ? flattenFirings(one) : []))]
}

async function readVariables({ reads }: ServerContext): Promise<Value> {
  const rows = await reads.all<{ name: string; value: string }>(allVariables)
  return new Map(rows.map(({ name, value }) => [name, fromJsonValue(parseJson(value))]))
}
