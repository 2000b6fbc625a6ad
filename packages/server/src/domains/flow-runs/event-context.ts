import type { ResourceLabels } from '../../lib/event-record.ts'

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
