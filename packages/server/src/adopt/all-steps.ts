import type { Step } from './step.ts'
import { artifactSteps } from './steps/artifacts.ts'
import { automationSteps } from './steps/automations.ts'
import { blockSteps } from './steps/blocks.ts'
import { deploymentSteps } from './steps/deployments.ts'
import { events } from './steps/events.ts'
import { flowRunSteps, subflows } from './steps/flow-runs.ts'
import { flows } from './steps/flows.ts'
import { limitSteps } from './steps/limits.ts'
import { logs } from './steps/logs.ts'
import { taskRunSteps } from './steps/task-runs.ts'
import { variableSteps } from './steps/variables.ts'
import { workPoolSteps } from './steps/work-pools.ts'

/** Everything that is taken over, what is referred to before what refers to it. */
export const allSteps: readonly Step[] = [
  ...blockSteps,
  flows,
  ...workPoolSteps,
  ...limitSteps,
  ...deploymentSteps,
  ...flowRunSteps,
  ...taskRunSteps,
  subflows,
  logs,
  ...artifactSteps,
  ...variableSteps,
  ...automationSteps,
  events,
]

/** Tables of the source that stay there, and why. */
export const skippedTables: Readonly<Record<string, string>> = {
  agent: 'agents ended with version 2',
  csrf_token: 'browsers and clients ask for new ones',
  configuration: 'secrets are encrypted with a key of our own',
  event_resources: 'made anew from the events',
  automation_bucket: 'triggers begin to count anew',
  automation_event_follower: 'nothing waits for its leader any more',
  composite_trigger_child_firing: 'triggers begin to count anew',
  deployment_version: 'no operation of the server reads them',
}
