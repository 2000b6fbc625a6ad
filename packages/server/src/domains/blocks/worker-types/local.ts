import { dockerRegistryCredentials, kubernetesClusterConfig } from '../system-blocks/containers.ts'
import { block, choice, flag, integer, path, text, textList } from '../system-blocks/fields.ts'
import { asVariables, variable, workerType } from './define-worker.ts'

const streamOutput = flag('Stream the output of runs to the worker.', { default: true })
const image = text('The image to run. Default: the latest image of the client.')

export const processWorker = workerType({
  type: 'process',
  collection: 'prefect',
  displayName: 'Process',
  description: 'Runs flows as processes on the machine of the worker. The simplest way to start.',
  job: asVariables(['stream_output', 'working_dir']),
  variables: {
    stream_output: streamOutput,
    working_dir: path('The working directory. Default: a temporary folder.', { title: 'Working Directory' }),
  },
})

export const dockerWorker = workerType({
  type: 'docker',
  collection: 'prefect-docker',
  displayName: 'Docker',
  description: 'Runs each flow run in a Docker container.',
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
    registry_credentials: block('Credentials for the image registry.', [dockerRegistryCredentials]),
    image_pull_policy: choice('When the image is pulled.', ['IfNotPresent', 'Always', 'IfPossible', 'Never']),
    networks: textList('The networks of containers.'),
    network_mode: text('The network mode of containers, such as host or bridge. Not allowed together with networks.'),
    auto_remove: flag('Remove containers when they finish.', { default: false }),
    volumes: textList('The volumes to mount into containers.'),
    stream_output: streamOutput,
    container_wait_timeout: integer('Maximum run time of a container, in seconds.', { exclusiveMinimum: 0 }),
    mem_limit: text('Memory limit of a container, such as 128m or 1g.', { title: 'Memory Limit' }),
    memswap_limit: text('Limit of memory and swap together. Requires a memory limit.', { title: 'Memory Swap Limit' }),
    privileged: flag('Run containers with extended privileges.', { default: false }),
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
    namespace: text('The namespace of jobs.', { default: 'default' }),
    image,
    service_account_name: text('The service account that creates jobs.'),
    image_pull_policy: choice('When the image is pulled.', ['IfNotPresent', 'Always', 'Never'], { default: 'IfNotPresent' }),
    finished_job_ttl: integer('Seconds to keep a finished job. Default: forever.', { title: 'Finished Job TTL' }),
    job_watch_timeout_seconds: integer('Maximum number of seconds between two events of a job. Default: unlimited.'),
    pod_watch_timeout_seconds: integer('Maximum number of seconds for a pod to start.', { default: 60 }),
    stream_output: streamOutput,
    cluster_config: block('The cluster of jobs. Default: the cluster of the worker.', [kubernetesClusterConfig]),
    cpu_request: text('CPU request of a job, such as 500m.', { title: 'CPU Request' }),
    cpu_limit: text('CPU limit of a job, such as 2.', { title: 'CPU Limit' }),
    memory_request: text('Memory request of a job, such as 128Mi.'),
    memory_limit: text('Memory limit of a job, such as 1Gi.'),
  },
})
