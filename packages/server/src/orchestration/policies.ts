import { definePolicy, type Policy } from './apply-transition.ts'
import type { FlowRunSnapshot, RunState, TaskRunSnapshot } from './rule.ts'
import { bypassCancellingWithoutInfrastructure } from './rules/bypass-cancelling-without-infrastructure.ts'
import { cacheCompletedResult } from './rules/cache-completed-result.ts'
import { cancelLateRunsOfFullDeployments } from './rules/cancel-late-runs-of-full-deployments.ts'
import { confirmDeploymentSlot } from './rules/confirm-deployment-slot.ts'
import { copyScheduledTime } from './rules/copy-scheduled-time.ts'
import { copyTaskParameters } from './rules/copy-task-parameters.ts'
import { enforceCancelling } from './rules/enforce-cancelling.ts'
import { enqueueDeferredTask } from './rules/enqueue-deferred-task.ts'
import { keepDeploymentLease } from './rules/keep-deployment-lease.ts'
import { onlyScheduledBecomesLate } from './rules/only-scheduled-becomes-late.ts'
import { pauseFlowRun } from './rules/pause-flow-run.ts'
import { preventDuplicateTransitions } from './rules/prevent-duplicate-transitions.ts'
import { preventPending } from './rules/prevent-pending.ts'
import { preventResultLoss } from './rules/prevent-result-loss.ts'
import { protectTerminalFlowRuns } from './rules/protect-terminal-flow-runs.ts'
import { protectTerminalTaskRuns } from './rules/protect-terminal-task-runs.ts'
import { releaseDeploymentSlot } from './rules/release-deployment-slot.ts'
import { releaseTaskSlots } from './rules/release-task-slots.ts'
import { renameReruns } from './rules/rename-reruns.ts'
import { resumeFlowRun } from './rules/resume-flow-run.ts'
import { retryCrashedFlowRun } from './rules/retry-crashed-flow-run.ts'
import { retryFailedFlowRun } from './rules/retry-failed-flow-run.ts'
import { retryFailedTaskRun } from './rules/retry-failed-task-run.ts'
import { reuseCachedResult } from './rules/reuse-cached-result.ts'
import { secureDeploymentSlot } from './rules/secure-deployment-slot.ts'
import { secureTaskSlots } from './rules/secure-task-slots.ts'
import { tasksOfStoppedFlows } from './rules/tasks-of-stopped-flows.ts'
import { trackFlowRunAttempt } from './rules/track-flow-run-attempt.ts'
import { waitForScheduledTime } from './rules/wait-for-scheduled-time.ts'

/** For proposals of clients for flow runs. */
export const flowRunPolicy = definePolicy<FlowRunSnapshot>(
  keepDeploymentLease,
  preventDuplicateTransitions,
  protectTerminalFlowRuns,
  preventResultLoss,
  enforceCancelling,
  bypassCancellingWithoutInfrastructure,
  preventPending,
  confirmDeploymentSlot,
  secureDeploymentSlot,
  onlyScheduledBecomesLate,
  pauseFlowRun,
  resumeFlowRun,
  copyScheduledTime,
  waitForScheduledTime,
  retryFailedFlowRun,
  releaseDeploymentSlot,
)

/** For proposals with `force`, and for the first state of a new flow run. */
export const forcedFlowRunPolicy = definePolicy<FlowRunSnapshot>(
  keepDeploymentLease,
  preventResultLoss,
  bypassCancellingWithoutInfrastructure,
  releaseDeploymentSlot,
)

/** For the service that marks overdue runs. */
export const lateFlowRunPolicy = definePolicy<FlowRunSnapshot>(onlyScheduledBecomesLate, cancelLateRunsOfFullDeployments, releaseDeploymentSlot)

/** For the service that crashes runs whose process is gone. */
export const zombieFlowRunPolicy = definePolicy<FlowRunSnapshot>(
  protectTerminalFlowRuns,
  enforceCancelling,
  retryCrashedFlowRun,
  releaseDeploymentSlot,
)

/** For proposals of clients for task runs. */
export const taskRunPolicy = definePolicy<TaskRunSnapshot>(
  reuseCachedResult,
  protectTerminalTaskRuns,
  tasksOfStoppedFlows,
  secureTaskSlots,
  copyScheduledTime,
  waitForScheduledTime,
  retryFailedTaskRun,
  renameReruns,
  trackFlowRunAttempt,
  cacheCompletedResult,
  releaseTaskSlots,
)

/** For deferred task runs: they run outside of flows, and several workers may claim the same one. */
export const backgroundTaskPolicy = definePolicy<TaskRunSnapshot>(
  preventPending,
  reuseCachedResult,
  protectTerminalTaskRuns,
  copyScheduledTime,
  copyTaskParameters,
  waitForScheduledTime,
  retryFailedTaskRun,
  renameReruns,
  trackFlowRunAttempt,
  cacheCompletedResult,
  releaseTaskSlots,
  enqueueDeferredTask,
)

/** For proposals with `force`, for the first state of a new task run, and for the parent's task run of a subflow. */
export const forcedTaskRunPolicy = definePolicy<TaskRunSnapshot>(releaseTaskSlots)

export const flowRunPolicyFor = (force: boolean): Policy<FlowRunSnapshot> => (force ? forcedFlowRunPolicy : flowRunPolicy)

/** `force` does not bypass the policy of deferred states: otherwise two workers could both take the same task run. */
export function taskRunPolicyFor(proposed: RunState, force: boolean): Policy<TaskRunSnapshot> {
  if (proposed.state_details.deferred) return backgroundTaskPolicy
  return force ? forcedTaskRunPolicy : taskRunPolicy
}
