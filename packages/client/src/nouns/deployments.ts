import type {
  DeploymentBulkDeleteResponse,
  DeploymentCreate,
  DeploymentPaginationResponse,
  DeploymentResponse,
  DeploymentScheduleBody,
  DeploymentsBulkDeleteBody,
  DeploymentsCountBody,
  DeploymentsFilterBody,
  DeploymentsPaginateBody,
  DeploymentsScheduledFlowRunsBody,
  DeploymentUpdate,
} from '@millrace/contracts/deployment.ts'
import type {
  DeploymentFlowRunCreate,
  DeploymentFlowRunsCreateBody,
  FlowRunBulkCreateResponse,
  FlowRunResponse,
} from '@millrace/contracts/flow-run.ts'
import type {
  DeploymentSchedule,
  DeploymentSchedulesCreateBody,
  DeploymentScheduleUpdate,
  SchedulePreview,
  SchedulePreviewBody,
} from '@millrace/contracts/schedule.ts'
import type { WorkQueue } from '@millrace/contracts/work-queue.ts'
import type { CallOptions } from '../http.ts'
import { hasIdempotencyKey } from '../idempotency.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Flows with parameters, schedules and the infrastructure that runs them. */
export class Deployments extends OperationGroup {
  /** Creates a deployment, or updates the one of this flow with this name. */
  create(body: DeploymentCreate, options?: CallOptions): Promise<DeploymentResponse> {
    return this.http.call('POST', '/deployments/', { body, isIdempotent: true, options })
  }

  /** Reads a deployment by the name of its flow and its own. */
  readByName(flow: string, deployment: string, options?: CallOptions): Promise<DeploymentResponse> {
    return this.http.call('GET', '/deployments/name/{flow_name}/{deployment_name}', {
      path: { flow_name: flow, deployment_name: deployment },
      options,
    })
  }

  /** Reads a deployment by id. */
  read(id: string, options?: CallOptions): Promise<DeploymentResponse> {
    return this.http.call('GET', '/deployments/{id}', { path: { id }, options })
  }

  /** Updates the given fields of a deployment. */
  update(id: string, body: DeploymentUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/deployments/{id}', { path: { id }, body, options })
  }

  /** Deletes a deployment and its runs that have not started. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/deployments/{id}', { path: { id }, options })
  }

  /** Deletes at most 50 matching deployments and returns their ids. Repeat it until none is left. */
  deleteMatching(body: DeploymentsBulkDeleteBody = {}, options?: CallOptions): Promise<DeploymentBulkDeleteResponse> {
    return this.http.call('POST', '/deployments/bulk_delete', { body, options })
  }

  /** Counts deployments. */
  count(body: DeploymentsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/deployments/count', { body, isIdempotent: true, options })
  }

  /** Lists deployments, by name by default. */
  list(body: DeploymentsFilterBody = {}, options?: CallOptions): Promise<DeploymentResponse[]> {
    return this.http.call('POST', '/deployments/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<DeploymentsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<DeploymentResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Lists deployments by page number, with the total count. */
  page(body: DeploymentsPaginateBody = {}, options?: CallOptions): Promise<DeploymentPaginationResponse> {
    return this.http.call('POST', '/deployments/paginate', { body, isIdempotent: true, options })
  }

  /** Returns the due runs of deployments, for a process that serves them. */
  pollScheduledRuns(body: DeploymentsScheduledFlowRunsBody, options?: CallOptions): Promise<FlowRunResponse[]> {
    return this.http.call('POST', '/deployments/get_scheduled_flow_runs', { body, isIdempotent: true, options })
  }

  /** Creates the runs of the schedules of a deployment for a period. Runs that exist are kept. */
  planRuns(id: string, body: DeploymentScheduleBody = {}, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/deployments/{id}/schedule', { path: { id }, body, isIdempotent: true, options })
  }

  /** Resumes the schedules of a deployment. */
  resume(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/deployments/{id}/resume_deployment', { path: { id }, isIdempotent: true, options })
  }

  /** Pauses the schedules of a deployment and deletes its planned runs. */
  pause(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/deployments/{id}/pause_deployment', { path: { id }, isIdempotent: true, options })
  }

  /** Lists the work queues whose filter accepts the runs of a deployment. Deprecated with such filters. */
  listAcceptingQueues(id: string, options?: CallOptions): Promise<WorkQueue[]> {
    return this.http.call('GET', '/deployments/{id}/work_queue_check', { path: { id }, options })
  }

  /** Lists the schedules of a deployment. */
  listSchedules(id: string, options?: CallOptions): Promise<DeploymentSchedule[]> {
    return this.http.call('GET', '/deployments/{id}/schedules', { path: { id }, options })
  }

  /** Adds schedules to a deployment. */
  createSchedules(id: string, body: DeploymentSchedulesCreateBody, options?: CallOptions): Promise<DeploymentSchedule[]> {
    return this.http.call('POST', '/deployments/{id}/schedules', { path: { id }, body, options })
  }

  /** Updates a schedule of a deployment and plans its runs anew. */
  updateSchedule(id: string, scheduleId: string, body: DeploymentScheduleUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/deployments/{id}/schedules/{schedule_id}', { path: { id, schedule_id: scheduleId }, body, options })
  }

  /** Deletes a schedule of a deployment and its planned runs. */
  deleteSchedule(id: string, scheduleId: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/deployments/{id}/schedules/{schedule_id}', { path: { id, schedule_id: scheduleId }, options })
  }

  /** Computes the next times of a schedule, which need not be stored. */
  previewSchedule(body: SchedulePreviewBody, options?: CallOptions): Promise<SchedulePreview> {
    return this.http.call('POST', '/ui/schedules/preview', { body, isIdempotent: true, options })
  }

  /** Creates a flow run of a deployment. With an `idempotency_key` that was used before it returns that run. */
  createFlowRun(id: string, body: DeploymentFlowRunCreate = {}, options?: CallOptions): Promise<FlowRunResponse> {
    return this.http.call('POST', '/deployments/{id}/create_flow_run', { path: { id }, body, isIdempotent: hasIdempotencyKey(body), options })
  }

  /** Creates many flow runs of a deployment. Each succeeds or fails on its own: check the `status` of each result. */
  createFlowRuns(id: string, body: DeploymentFlowRunsCreateBody, options?: CallOptions): Promise<FlowRunBulkCreateResponse> {
    return this.http.call('POST', '/deployments/{id}/create_flow_run/bulk', {
      path: { id },
      body,
      isIdempotent: body.every(hasIdempotencyKey),
      options,
    })
  }
}
