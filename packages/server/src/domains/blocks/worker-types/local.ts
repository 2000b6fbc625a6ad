import { dockerRegistryCredentials, kubernetesClusterConfig } from '../system-blocks/containers.ts'
import { block, choice, flag, integer, path, text, textList } from '../system-blocks/fields.ts'
import { asVariables, variable, workerType } from './define-worker.ts'

const streamOutput = flag('Whether the output of runs appears in that of the worker.', { default: true })
const image = text('The image to run; the newest one of the client unless given.')

export const processWorker = workerType({
  type: 'process',
  collection: 'prefect',
  displayName: 'Process',
  description: 'Runs flows as processes on the machine of the worker. The simplest way to begin.',
  job: asVariables(['stream_output', 'working_dir']),
  variables: {
    stream_output: streamOutput,
    working_dir: path('The folder to run in; a temporary one unless given.', { title: 'Working Directory' }),
  },
})

export const dockerWorker = workerType({
  type: 'docker',
  collection: 'prefect-docker',
  displayName: 'Docker',
  description: 'Runs each flow run in a Docker container of its own.',
  job: asVariables([
    'image',
    'registry_credentials',
    'image_pull_policy',
    'networks',
    'network_mode',
    'auto_remove',
    'volumes',
    'stream_output',
    'container_wait_timeout',
    'mem_limit',
    'memswap_limit',
    'privileged',
  ]),
  variables: {
    image,
    registry_credentials: block('Who signs in to the registry that the image comes from.', [dockerRegistryCredentials]),
    image_pull_policy: choice('When the image is pulled.', ['IfNotPresent', 'Always', 'IfPossible', 'Never']),
    networks: textList('The networks that containers are connected to.'),
    network_mode: text('The network mode of containers, such as host or bridge; not together with networks.'),
    auto_remove: flag('Whether containers are removed when they are done.', { default: false }),
    volumes: textList('The volumes that are mounted into containers.'),
    stream_output: streamOutput,
    container_wait_timeout: integer('How many seconds a container may run, at most.', { exclusiveMinimum: 0 }),
    mem_limit: text('How much memory a container may use, such as 128m or 1g.', { title: 'Memory Limit' }),
    memswap_limit: text('How much memory and swap it may use together; only with a limit of memory.', { title: 'Memory Swap Limit' }),
    privileged: flag('Whether containers get extended privileges.', { default: false }),
  },
})

const container = {
  name: 'prefect-job',
  env: variable('env'),
  image: variable('image'),
  imagePullPolicy: variable('image_pull_policy'),
  args: variable('command'),
  resources: {
    limits: { cpu: variable('cpu_limit'), memory: variable('memory_limit') },
    requests: { cpu: variable('cpu_request'), memory: variable('memory_request') },
  },
}

export const kubernetesWorker = workerType({
  type: 'kubernetes',
  collection: 'prefect-kubernetes',
  displayName: 'Kubernetes',
  description: 'Runs each flow run as a job on a Kubernetes cluster.',
  job: {
    namespace: variable('namespace'),
    job_manifest: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { labels: variable('labels'), namespace: variable('namespace'), generateName: `${variable('name')}-` },
      spec: {
        backoffLimit: 0,
        ttlSecondsAfterFinished: variable('finished_job_ttl'),
        template: {
          spec: {
            parallelism: 1,
            completions: 1,
            restartPolicy: 'Never',
            serviceAccountName: variable('service_account_name'),
            containers: [container],
          },
        },
      },
    },
    ...asVariables(['cluster_config', 'job_watch_timeout_seconds', 'pod_watch_timeout_seconds', 'stream_output']),
  },
  variables: {
    namespace: text('The namespace that jobs are made in.', { default: 'default' }),
    image,
    service_account_name: text('The service account that makes jobs.'),
    image_pull_policy: choice('When the image is pulled.', ['IfNotPresent', 'Always', 'Never'], { default: 'IfNotPresent' }),
    finished_job_ttl: integer('How many seconds a job is kept after its end; for ever unless given.', { title: 'Finished Job TTL' }),
    job_watch_timeout_seconds: integer('How many seconds may pass between two events of a job; any number unless given.'),
    pod_watch_timeout_seconds: integer('How many seconds a pod may take to come up.', { default: 60 }),
    stream_output: streamOutput,
    cluster_config: block('The cluster that jobs run on; that of the worker unless given.', [kubernetesClusterConfig]),
    cpu_request: text('How much CPU a job is promised, such as 500m.', { title: 'CPU Request' }),
    cpu_limit: text('How much CPU a job may use, such as 2.', { title: 'CPU Limit' }),
    memory_request: text('How much memory a job is promised, such as 128Mi.'),
    memory_limit: text('How much memory a job may use, such as 1Gi.'),
  },
})
