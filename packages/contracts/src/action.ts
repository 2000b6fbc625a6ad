import Type, { type TSchema } from 'typebox'
import { defaulted, duration, enumOf, FreeJson, FreeObject, lenientModel, orNull, type Received, Text, Uuid } from './primitives.ts'
import { StateType } from './state.ts'

/** What an automation does when it fires. Unknown keys are dropped. */
function action<const K extends string, P extends Record<string, TSchema>>(name: string, kind: K, fields: P) {
  return lenientModel(name, { type: defaulted(Type.Unsafe<K>({ type: 'string', const: kind }), kind), ...fields })
}

/** `selected` names its target, `inferred` finds it among the resources of the event. */
const source = defaulted(enumOf('selected', 'inferred'), 'selected')

const deployment = { source, deployment_id: orNull(Uuid) }
const workQueue = { source, work_queue_id: orNull(Uuid) }
const workPool = { source, work_pool_id: orNull(Uuid) }
const automation = { source, automation_id: orNull(Uuid) }

export const DoNothing = action('DoNothing', 'do-nothing', {})
export const RunDeployment = action('RunDeployment', 'run-deployment', {
  ...deployment,
  parameters: orNull(FreeObject),
  job_variables: orNull(FreeObject),
  schedule_after: defaulted(duration({ minimum: 0 }), 0),
})
export const PauseDeployment = action('PauseDeployment', 'pause-deployment', deployment)
export const ResumeDeployment = action('ResumeDeployment', 'resume-deployment', deployment)
export const CancelFlowRun = action('CancelFlowRun', 'cancel-flow-run', {})
export const DeleteFlowRun = action('DeleteFlowRun', 'delete-flow-run', {})
export const ChangeFlowRunState = action('ChangeFlowRunState', 'change-flow-run-state', {
  name: orNull(Text),
  state: StateType,
  message: orNull(Text),
  force: defaulted(Type.Boolean(), false),
})
export const SuspendFlowRun = action('SuspendFlowRun', 'suspend-flow-run', {})
export const ResumeFlowRun = action('ResumeFlowRun', 'resume-flow-run', {})
export const PauseWorkQueue = action('PauseWorkQueue', 'pause-work-queue', workQueue)
export const ResumeWorkQueue = action('ResumeWorkQueue', 'resume-work-queue', workQueue)
export const PauseWorkPool = action('PauseWorkPool', 'pause-work-pool', workPool)
export const ResumeWorkPool = action('ResumeWorkPool', 'resume-work-pool', workPool)
export const PauseAutomation = action('PauseAutomation', 'pause-automation', automation)
export const ResumeAutomation = action('ResumeAutomation', 'resume-automation', automation)

/** `payload`, `subject` and `body` are templates. A payload other than a string is stored as JSON; it must not be null. */
export const CallWebhook = action('CallWebhook', 'call-webhook', {
  block_document_id: Uuid,
  payload: defaulted(Type.Unsafe<string>(Type.Union([Text, FreeJson])), ''),
})
export const SendNotification = action('SendNotification', 'send-notification', {
  block_document_id: Uuid,
  subject: defaulted(Text, 'Prefect automated notification'),
  body: Text,
})

export const Action = Type.Union([
  DoNothing,
  RunDeployment,
  PauseDeployment,
  ResumeDeployment,
  CancelFlowRun,
  DeleteFlowRun,
  ChangeFlowRunState,
  PauseWorkQueue,
  ResumeWorkQueue,
  SendNotification,
  CallWebhook,
  PauseAutomation,
  ResumeAutomation,
  SuspendFlowRun,
  ResumeFlowRun,
  PauseWorkPool,
  ResumeWorkPool,
])

/** An action as stored and returned. */
export type Action = Received<typeof Action>
