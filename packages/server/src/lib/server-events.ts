import type { EventRecord } from './event-record.ts'

/** Every event that the server emits itself. `*` stands for a name, such as that of a state. docs/events.md describes each of them. */
export const serverEventNames = [
  'prefect.flow.created',
  'prefect.flow.updated',
  'prefect.flow.deleted',
  'prefect.flow-run.*',
  'prefect.task-run.*',
  'prefect.deployment.created',
  'prefect.deployment.updated',
  'prefect.deployment.deleted',
  'prefect.deployment.ready',
  'prefect.deployment.not-ready',
  'prefect.work-pool.created',
  'prefect.work-pool.updated',
  'prefect.work-pool.deleted',
  'prefect.work-pool.ready',
  'prefect.work-pool.not-ready',
  'prefect.work-pool.paused',
  'prefect.work-queue.created',
  'prefect.work-queue.updated',
  'prefect.work-queue.deleted',
  'prefect.work-queue.ready',
  'prefect.work-queue.not-ready',
  'prefect.work-queue.paused',
  'prefect.artifact-collection.created',
  'prefect.artifact-collection.updated',
  'prefect.artifact-collection.deleted',
  'prefect.block-type.created',
  'prefect.block-type.updated',
  'prefect.block-type.deleted',
  'prefect.block-document.created',
  'prefect.block-document.updated',
  'prefect.block-document.deleted',
  'prefect.block.*.loaded',
  'prefect.variable.created',
  'prefect.variable.updated',
  'prefect.variable.deleted',
  'prefect.concurrency-limit.created',
  'prefect.concurrency-limit.updated',
  'prefect.concurrency-limit.deleted',
  'prefect.automation.created',
  'prefect.automation.updated',
  'prefect.automation.deleted',
  'prefect.automation.triggered',
  'prefect.automation.action.triggered',
  'prefect.automation.action.executed',
  'prefect.automation.action.failed',
  'millrace.automation.suspended',
  'millrace.automation.resumed',
  'millrace.backup.finished',
  'millrace.backup.failed',
  'millrace.retention.trimmed',
  'millrace.encryption-key.rotated',
] as const

type Filled<Name extends string> = Name extends `${infer Start}*${infer End}` ? `${Start}${string}${End}` : Name

/** An event of the server. The type of its name keeps the list above complete. */
export interface ServerEvent extends EventRecord {
  readonly event: Filled<(typeof serverEventNames)[number]>
}

/** An event that a client sent. */
export interface ReceivedEvent extends EventRecord {
  readonly checkedUntil: number
}

/** The status of a pool or a queue in the name of its event. */
export const statusWords = { READY: 'ready', NOT_READY: 'not-ready', PAUSED: 'paused' } as const
