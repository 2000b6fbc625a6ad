import { block, choice, flag, integer, number, required, text, textList } from '../system-blocks/fields.ts'
import { gcpCredentials } from '../system-blocks/google.ts'
import { asVariables, variable, workerType } from './define-worker.ts'

const collection = 'prefect-gcp'
const credentials = block('Credentials for Google Cloud. Default: the application default credentials.', [gcpCredentials], {
  title: 'GCP Credentials',
})
const size = asVariables(['cpu', 'memory'])
const image = (description: string, more = {}) => text(description, { title: 'Image Name', ...more })
const memory = (more = {}) => text('Memory of a job, in G, Gi, M or Mi.', { pattern: '^\\d+(?:G|Gi|M|Mi)$', ...more })
const timeout = (secondsMax: number) =>
  integer(`Timeout of a job in seconds, at most ${secondsMax}.`, { title: 'Job Timeout', default: 600, exclusiveMinimum: 0, maximum: secondsMax })
const keepJob = flag('Keep the job after it completes.', { title: 'Keep Job After Completion', default: false })
const vpcConnector = text('The VPC connector of a job.', { title: 'VPC Connector Name' })
const serviceAccount = text('The service account of a job.')

export const cloudRunWorker = workerType({
  type: 'cloud-run',
  collection,
  displayName: 'Google Cloud Run',
  description: 'Runs each flow run as a job on Google Cloud Run, with the first version of its API.',
  job: {
    region: variable('region'),
    credentials: variable('credentials'),
    job_body: {
      apiVersion: 'run.googleapis.com/v1',
      kind: 'Job',
      metadata: { name: variable('name'), annotations: { 'run.googleapis.com/launch-stage': 'BETA' } },
      spec: {
        template: {
          spec: {
            template: {
              spec: {
                containers: [{ image: variable('image'), command: variable('command'), resources: { limits: size, requests: size } }],
                timeoutSeconds: variable('timeout'),
                serviceAccountName: variable('service_account_name'),
              },
            },
          },
          metadata: { annotations: { 'run.googleapis.com/vpc-access-connector': variable('vpc_connector_name') } },
        },
      },
    },
    ...asVariables(['timeout', 'keep_job']),
  },
  variables: {
    region: text('The region of jobs.', { default: 'us-central1' }),
    credentials,
    image: image('The image to run. Default: the latest image of the client.'),
    cpu: text('CPU of a job; 1000m is one CPU.', { title: 'CPU', pattern: '^(\\d*000)m$' }),
    memory: memory(),
    vpc_connector_name: vpcConnector,
    service_account_name: serviceAccount,
    keep_job: keepJob,
    timeout: timeout(3600),
  },
})

export const cloudRunV2Worker = workerType({
  type: 'cloud-run-v2',
  collection,
  displayName: 'Google Cloud Run V2',
  description: 'Runs each flow run as a job on Google Cloud Run, with the second version of its API.',
  job: {
    credentials: variable('credentials'),
    job_body: {
      client: 'prefect',
      launchStage: variable('launch_stage'),
      template: {
        template: {
          serviceAccount: variable('service_account_name'),
          maxRetries: variable('max_retries'),
          timeout: variable('timeout'),
          vpcAccess: { connector: variable('vpc_connector_name') },
          containers: [{ env: [], image: variable('image'), command: variable('command'), args: variable('args'), resources: { limits: size } }],
        },
      },
    },
    ...asVariables(['keep_job', 'region', 'timeout']),
  },
  variables: {
    credentials,
    region: text('The region of jobs.', { default: 'us-central1' }),
    image: image('The image to run.', { default: 'prefecthq/prefect:3-latest' }),
    args: textList('Arguments for the command of the image.'),
    keep_job: keepJob,
    launch_stage: choice(
      'The launch stage of the job features.',
      ['ALPHA', 'BETA', 'GA', 'DEPRECATED', 'EARLY_ACCESS', 'PRELAUNCH', 'UNIMPLEMENTED', 'LAUNCH_TAG_UNSPECIFIED'],
      { default: 'BETA' },
    ),
    max_retries: integer('Number of retries by Cloud Run.', { default: 0 }),
    cpu: text('CPU of a job; 1000m is one CPU.', { title: 'CPU', default: '1000m' }),
    memory: memory({ default: '512Mi' }),
    timeout: timeout(604_800),
    vpc_connector_name: vpcConnector,
    service_account_name: serviceAccount,
  },
})

export const vertexWorker = workerType({
  type: 'vertex-ai',
  collection,
  displayName: 'Google Vertex AI',
  description: 'Runs each flow run as a custom job on Google Vertex AI.',
  job: {
    region: variable('region'),
    credentials: variable('credentials'),
    job_spec: {
      ...asVariables(['service_account_name', 'network', 'reserved_ip_ranges', 'maximum_run_time_hours']),
      worker_pool_specs: [
        {
          replica_count: 1,
          container_spec: { image_uri: variable('image'), command: variable('command'), args: [] },
          machine_spec: asVariables(['machine_type', 'accelerator_type', 'accelerator_count']),
          disk_spec: asVariables(['boot_disk_type', 'boot_disk_size_gb']),
        },
      ],
    },
    job_watch_poll_interval: variable('job_watch_poll_interval'),
  },
  variables: {
    region: required(text('The region of jobs.')),
    image: required(image('The image to run, from a registry that Vertex AI can read.')),
    credentials,
    machine_type: text('The machine type, which determines CPU and memory.', { default: 'n1-standard-4' }),
    accelerator_type: text('The type of accelerator.'),
    accelerator_count: integer('Accelerators per machine.'),
    boot_disk_type: text('The type of boot disk.', { default: 'pd-ssd' }),
    boot_disk_size_gb: integer('The size of the boot disk, in gigabytes.', { title: 'Boot Disk Size (GB)', default: 100 }),
    maximum_run_time_hours: integer('Maximum run time in hours.', { title: 'Maximum Run Time (Hours)', default: 1 }),
    network: text('The full name of the peered network.'),
    reserved_ip_ranges: textList('The reserved IP ranges of the network that jobs can use.', { title: 'Reserved IP Ranges' }),
    service_account_name: text('The service account of a job. The worker needs permission to act as it.'),
    job_watch_poll_interval: number('Seconds between two polls of a job.', { title: 'Poll Interval (Seconds)', default: 5 }),
  },
})
