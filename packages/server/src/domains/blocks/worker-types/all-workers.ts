import { ecsWorker } from './aws.ts'
import { containerInstanceWorker } from './azure.ts'
import type { WorkerType } from './define-worker.ts'
import { cloudRunV2Worker, cloudRunWorker, vertexWorker } from './google.ts'
import { dockerWorker, kubernetesWorker, processWorker } from './local.ts'

export const allWorkers: readonly WorkerType[] = [
  processWorker,
  dockerWorker,
  kubernetesWorker,
  ecsWorker,
  containerInstanceWorker,
  cloudRunWorker,
  cloudRunV2Worker,
  vertexWorker,
]
