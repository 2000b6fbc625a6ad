import type { ResourceLabels } from '../lib/event-record.ts'
import type { ServerEvent } from '../lib/server-events.ts'
import { formatTime, MICROS_PER_SECOND } from '../lib/time.ts'
import type { RunState } from '../orchestration/rule.ts'

/** Longer state messages are truncated in events, because clients may put complete results into messages. */
const messageCharactersMax = 100_000
/** An event names its predecessor only within this time. Beyond it the timestamps give the order. */
const chainWithinMicros = 5 * 60 * MICROS_PER_SECOND

interface Run {
  readonly id: string
  readonly name: string
  readonly tags: string
  readonly run_count: number
}

/** The event of a new state of a flow run. It has the id of the state. */
export function flowRunStateEvent(run: Run, from: RunState | null, to: RunState, eventContext: FlowRunEventContext): ServerEvent {
  return {
    id: to.id,
    occurred: to.timestamp,
    event: `prefect.flow-run.${to.name}`,
    resource: {
      'prefect.resource.id': `prefect.flow-run.${run.id}`,
      'prefect.resource.name': run.name,
      'prefect.run-count': String(run.run_count),
      'prefect.state-message': truncateMessage(to.message),
      'prefect.state-name': to.name,
      'prefect.state-timestamp': formatTime(to.timestamp),
      'prefect.state-type': to.type,
    },
    related: relatedResources(run.tags, eventContext),
    payload: JSON.stringify({
      intended: { from: from?.type ?? null, to: to.type },
      initial_state: from && statePayload(from),
      validated_state: statePayload(to),
    }),
    follows: from && wasEmitted(from) && Math.abs(to.timestamp - from.timestamp) < chainWithinMicros ? from.id : null,
  }
}

/** Runs created by a schedule have no Scheduled event. Their first state is the only one without a run id (see create-flow-run.ts). */
const wasEmitted = ({ type, state_details }: RunState): boolean => !(type === 'SCHEDULED' && state_details.flow_run_id === null)

const truncateMessage = (message: string | null): string => (message ?? '').slice(0, messageCharactersMax)

interface StatePayload {
  readonly type: string
  name?: string
  message?: string
  pause_reschedule?: string
}

function statePayload({ type, name, message, state_details }: RunState): StatePayload {
  const payload: StatePayload = { type }
  if (name) payload.name = name
  if (message) payload.message = truncateMessage(message)
  if (type === 'PAUSED') payload.pause_reschedule = String(state_details.pause_reschedule ?? false)
  return payload
}

interface Named {
  readonly id: string
  readonly name: string
}

interface Tagged extends Named {
  /** A JSON list as text. */
  readonly tags: string
}

/** The resources that the events of a flow run relate to. */
export interface FlowRunEventContext {
  readonly flow: Tagged
  readonly deployment: Tagged | null
  readonly workQueue: Named | null
  readonly workPool: (Named & { readonly type: string }) | null
  readonly parentTask: Tagged | null
  readonly createdBy: { readonly id?: string | null; readonly type?: string | null; readonly display_value?: string | null } | null
}

/** The related resources of the events of a run. Existing automations depend on their order. */
export function relatedResources(runTags: string, eventContext: FlowRunEventContext): ResourceLabels[] {
  const { flow, deployment, workQueue, workPool, parentTask, createdBy } = eventContext
  const related = [resourceOf('flow', flow)]
  if (deployment) related.push(resourceOf('deployment', deployment))
  if (workQueue) related.push(resourceOf('work-queue', workQueue))
  if (workPool) related.push({ ...resourceOf('work-pool', workPool), 'prefect.work-pool.type': workPool.type })
  if (parentTask) related.push(resourceOf('task-run', parentTask))
  for (const tag of uniqueTags([runTags, flow.tags, deployment?.tags, parentTask?.tags]))
    related.push({ 'prefect.resource.id': `prefect.tag.${tag}`, 'prefect.resource.role': 'tag' })
  if (createdBy) related.push(...creatorResource(createdBy))
  return related
}

const resourceOf = (kind: string, { id, name }: Named): ResourceLabels => ({
  'prefect.resource.id': `prefect.${kind}.${id}`,
  'prefect.resource.role': kind,
  'prefect.resource.name': name,
})

function uniqueTags(lists: readonly (string | undefined)[]): readonly string[] {
  let tags: string[] = []
  for (const text of lists) if (text !== undefined && text !== '[]') tags = tags.concat(JSON.parse(text) as string[])
  return tags.length > 1 ? [...new Set(tags)].sort() : tags
}

function creatorResource(creator: NonNullable<FlowRunEventContext['createdBy']>): ResourceLabels[] {
  if (!creator.id || (creator.type !== 'DEPLOYMENT' && creator.type !== 'AUTOMATION')) return []
  return [
    {
      'prefect.resource.id': `prefect.${creator.type.toLowerCase()}.${creator.id}`,
      'prefect.resource.role': 'creator',
      ...(creator.display_value ? { 'prefect.resource.name': creator.display_value } : {}),
    },
  ]
}
