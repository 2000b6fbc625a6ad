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

/** All steps. Referenced tables come before the tables that reference them. */
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

/** Tables of the source that are not copied, with the reason for the report. */
export const skippedTables: Readonly<Record<string, string>> = {
  agent: 'agents were removed in version 3',
  csrf_token: 'recreated on demand',
  configuration: 'secrets are encrypted with a new key',
  event_resources: 'rebuilt from the events',
  automation_bucket: 'triggers start counting from zero',
  automation_event_follower: 'no event waits for its predecessor',
  composite_trigger_child_firing: 'triggers start counting from zero',
  deployment_version: 'not used by any operation',
}
