import type { EventRecord, ResourceLabels } from '../../lib/event-record.ts'
import { formatTime, MICROS_PER_SECOND } from '../../lib/time.ts'
import type { RunState } from '../../orchestration/rule.ts'

/** People put whole results into messages; an event is not the place for them. */
const messageCharactersMax = 100_000
/** Only states that followed each other closely are chained: of others the order is plain. */
const chainWithinMicros = 5 * 60 * MICROS_PER_SECOND

interface Run {
  readonly id: string
  readonly name: string
  readonly tags: string
  readonly run_count: number
}

/** A flow run has a new state. The event has the state's id, so that the two are known to be one thing. */
export function flowRunStateEvent(run: Run, from: RunState | null, to: RunState, eventContext: FlowRunEventContext): EventRecord {
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

/** Planned runs get no Scheduled event. Their first state is the only one that does not name its run (see create-run.ts). */
const wasEmitted = ({ type, state_details }: RunState): boolean => !(type === 'SCHEDULED' && state_details.flow_run_id === null)

const truncateMessage = (message: string | null): string => (message ?? '').slice(0, messageCharactersMax)

function statePayload({ type, name, message, state_details }: RunState): Record<string, string> {
  return {
    type,
    ...(name ? { name } : {}),
    ...(message ? { message: truncateMessage(message) } : {}),
    ...(type === 'PAUSED' ? { pause_reschedule: String(state_details.pause_reschedule ?? false) } : {}),
  }
}

interface Named {
  readonly id: string
  readonly name: string
}

interface Tagged extends Named {
  /** JSON text of a list. */
  readonly tags: string
}

/** What a flow run belongs to, as far as its events tell of it. */
export interface FlowRunEventContext {
  readonly flow: Tagged
  readonly deployment: Tagged | null
  readonly workQueue: Named | null
  readonly workPool: (Named & { readonly type: string }) | null
  readonly parentTask: Tagged | null
  readonly createdBy: { readonly id?: string | null; readonly type?: string | null; readonly display_value?: string | null } | null
}

/** The related resources of a run's events, in the order that existing automations count on. */
export function relatedResources(runTags: string, eventContext: FlowRunEventContext): ResourceLabels[] {
  const { flow, deployment, workQueue, workPool, parentTask } = eventContext
  return [
    resourceOf('flow', flow),
    ...(deployment ? [resourceOf('deployment', deployment)] : []),
    ...(workQueue ? [resourceOf('work-queue', workQueue)] : []),
    ...(workPool ? [{ ...resourceOf('work-pool', workPool), 'prefect.work-pool.type': workPool.type }] : []),
    ...(parentTask ? [resourceOf('task-run', parentTask)] : []),
    ...tagResources([runTags, flow.tags, deployment?.tags, parentTask?.tags]),
    ...creatorResource(eventContext.createdBy),
  ]
}

const resourceOf = (kind: string, { id, name }: Named): ResourceLabels => ({
  'prefect.resource.id': `prefect.${kind}.${id}`,
  'prefect.resource.role': kind,
  'prefect.resource.name': name,
})

function tagResources(lists: readonly (string | undefined)[]): ResourceLabels[] {
  const tags = new Set(lists.flatMap((text) => (text === undefined || text === '[]' ? [] : (JSON.parse(text) as string[]))))
  return [...tags].sort().map((tag) => ({ 'prefect.resource.id': `prefect.tag.${tag}`, 'prefect.resource.role': 'tag' }))
}

function creatorResource(by: FlowRunEventContext['createdBy']): ResourceLabels[] {
  if (!by?.id || (by.type !== 'DEPLOYMENT' && by.type !== 'AUTOMATION')) return []
  return [
    {
      'prefect.resource.id': `prefect.${by.type.toLowerCase()}.${by.id}`,
      'prefect.resource.role': 'creator',
      ...(by.display_value ? { 'prefect.resource.name': by.display_value } : {}),
    },
  ]
}
