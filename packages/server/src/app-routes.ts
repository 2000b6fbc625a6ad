import { automationRoutes } from './automations/routes.ts'
import { templateRoutes } from './automations/template-routes.ts'
import { retentionRoutes } from './domains/admin/retention-routes.ts'
import { adminRoutes, rootRoutes } from './domains/admin/routes.ts'
import { artifactRoutes } from './domains/artifacts/routes.ts'
import { collectionRoutes } from './domains/blocks/collection-routes.ts'
import { defaultStorageRoutes } from './domains/blocks/default-storage-routes.ts'
import { blockDocumentRoutes } from './domains/blocks/document-routes.ts'
import { blockSchemaRoutes } from './domains/blocks/schema-routes.ts'
import { blockTypeRoutes } from './domains/blocks/type-routes.ts'
import { limitHolderRoutes } from './domains/concurrency-limits/holder-routes.ts'
import { concurrencyLimitRoutes } from './domains/concurrency-limits/routes.ts'
import { tagLimitRoutes } from './domains/concurrency-limits/tag-routes.ts'
import { csrfRoutes } from './domains/csrf/routes.ts'
import { deploymentRoutes } from './domains/deployments/routes.ts'
import { schedulePreviewRoutes } from './domains/deployments/schedule-preview-routes.ts'
import { deploymentScheduleRoutes } from './domains/deployments/schedule-routes.ts'
import { deploymentRunRoutes } from './domains/flow-runs/deployment-run-routes.ts'
import { flowRunGraphRoutes } from './domains/flow-runs/graph-routes.ts'
import { heartbeatConnections } from './domains/flow-runs/heartbeat-connections.ts'
import { flowRunHistoryRoutes } from './domains/flow-runs/history-routes.ts'
import { flowRunInputRoutes } from './domains/flow-runs/input-routes.ts'
import { flowRunRoutes } from './domains/flow-runs/routes.ts'
import { flowRunUiRoutes } from './domains/flow-runs/ui-routes.ts'
import { flowRoutes } from './domains/flows/routes.ts'
import { flowUiRoutes } from './domains/flows/ui-routes.ts'
import { formValueUiRoutes } from './domains/form-values/ui-routes.ts'
import { logRoutes } from './domains/logs/routes.ts'
import { logSocket } from './domains/logs/socket.ts'
import { runReportRoutes } from './domains/run-reports/routes.ts'
import { runReportSocket } from './domains/run-reports/socket.ts'
import { runStateRoutes } from './domains/run-states/routes.ts'
import { verdictRoutes } from './domains/run-states/verdict-routes.ts'
import { savedSearchRoutes } from './domains/saved-searches/routes.ts'
import { taskRunRoutes } from './domains/task-runs/routes.ts'
import { taskRunUiRoutes } from './domains/task-runs/ui-routes.ts'
import { taskWorkerRoutes } from './domains/task-workers/routes.ts'
import { taskWorkerSocket } from './domains/task-workers/socket.ts'
import { variableRoutes } from './domains/variables/routes.ts'
import { workPoolRoutes } from './domains/work-pools/routes.ts'
import { workerChannel } from './domains/work-pools/worker-channel.ts'
import { poolQueueRoutes } from './domains/work-queues/pool-routes.ts'
import { workQueueRoutes } from './domains/work-queues/routes.ts'
import { workerRoutes } from './domains/workers/routes.ts'
import { createIngest } from './events/ingest.ts'
import { eventRoutes } from './events/routes.ts'
import { eventSockets } from './events/socket.ts'
import type { Route } from './lib/route.ts'
import type { SocketRoute } from './lib/socket.ts'
import { reportEvents } from './runs/report-events.ts'
import type { ServerContext } from './storage/server-context.ts'
import { perServer } from './storage/server-context.ts'

/** Stores events of clients, and in the same transaction what they report about runs. */
const eventIngest = perServer((context) => createIngest(context, (actor, sent, received) => reportEvents(context, actor, sent, received)))

/** Every WebSocket of the API. */
export const createSocketRoutes = (context: ServerContext): SocketRoute[] => [
  ...eventSockets(context, eventIngest(context), heartbeatConnections(context)),
  logSocket(context),
  taskWorkerSocket(context),
  workerChannel(context),
  runReportSocket(context),
]

/** Every operation of the API. */
export function createRoutes(context: ServerContext): Route[] {
  return [
    ...rootRoutes(context),
    ...adminRoutes(context),
    ...retentionRoutes(context),
    ...flowRoutes(context),
    ...flowRunRoutes(context),
    ...taskRunRoutes(context),
    ...deploymentRoutes(context),
    ...deploymentScheduleRoutes(context),
    ...schedulePreviewRoutes(context),
    ...deploymentRunRoutes(context),
    ...workPoolRoutes(context),
    ...poolQueueRoutes(context),
    ...workerRoutes(context),
    ...workQueueRoutes(context),
    ...concurrencyLimitRoutes(context),
    ...limitHolderRoutes(context),
    ...tagLimitRoutes(context),
    ...variableRoutes(context),
    ...savedSearchRoutes(context),
    ...taskWorkerRoutes(context),
    ...csrfRoutes(context),
    ...flowUiRoutes(context),
    ...flowRunHistoryRoutes(context),
    ...flowRunGraphRoutes(context),
    ...flowRunInputRoutes(context),
    ...flowRunUiRoutes(context),
    ...taskRunUiRoutes(context),
    ...runReportRoutes(context),
    ...runStateRoutes(context),
    ...verdictRoutes(context),
    ...logRoutes(context),
    ...artifactRoutes(context),
    ...blockTypeRoutes(context),
    ...blockSchemaRoutes(context),
    ...blockDocumentRoutes(context),
    ...defaultStorageRoutes(context),
    ...collectionRoutes(),
    ...formValueUiRoutes(context),
    ...eventRoutes(context, eventIngest(context)),
    ...automationRoutes(context),
    ...templateRoutes(),
  ]
}
