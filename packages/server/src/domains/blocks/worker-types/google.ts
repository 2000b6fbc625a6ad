import { block, choice, flag, integer, number, required, text, textList } from '../system-blocks/fields.ts'
import { gcpCredentials } from '../system-blocks/google.ts'
import { asVariables, variable, workerType } from './define-worker.ts'

const collection = 'prefect-gcp'
const credentials = block('Who signs in; whoever Google finds by itself unless given.', [gcpCredentials], { title: 'GCP Credentials' })
const size = asVariables(['cpu', 'memory'])
const image = (description: string, more = {}) => text(description, { title: 'Image Name', ...more })
const memory = (more = {}) => text('How much memory a job gets, in G, Gi, M or Mi.', { pattern: '^\\d+(?:G|Gi|M|Mi)$', ...more })
const timeout = (secondsMax: number) =>
  integer(`How many seconds a job may take, ${secondsMax} at most.`, { title: 'Job Timeout', default: 600, exclusiveMinimum: 0, maximum: secondsMax })
const keepJob = flag('Whether the job is kept after its end.', { title: 'Keep Job After Completion', default: false })
const vpcConnector = text('The VPC connector of a job.', { title: 'VPC Connector Name' })
const serviceAccount = text('The service account that a job runs as.')

export const cloudRunWorker = workerType({
  type: 'cloud-run',
  collection,
  displayName: 'Google Cloud Run',
  description: 'Runs each flow run as a job on Google Cloud Run, by the first version of its API.',
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
    region: text('The region that jobs run in.', { default: 'us-central1' }),
    credentials,
    image: image('The image to run; the newest one of the client unless given.'),
    cpu: text('How much CPU a job gets; 1000m is one CPU.', { title: 'CPU', pattern: '^(\\d*000)m$' }),
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
  description: 'Runs each flow run as a job on Google Cloud Run, by the second version of its API.',
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
    region: text('The region that jobs run in.', { default: 'us-central1' }),
    image: image('The image to run.', { default: 'prefecthq/prefect:3-latest' }),
    args: textList('What to hand to the command of the image.'),
    keep_job: keepJob,
    launch_stage: choice(
      'The stage that the features of a job have reached.',
      ['ALPHA', 'BETA', 'GA', 'DEPRECATED', 'EARLY_ACCESS', 'PRELAUNCH', 'UNIMPLEMENTED', 'LAUNCH_TAG_UNSPECIFIED'],
      { default: 'BETA' },
    ),
    max_retries: integer('How often Cloud Run itself tries a job again.', { default: 0 }),
    cpu: text('How much CPU a job gets; 1000m is one CPU.', { title: 'CPU', default: '1000m' }),
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
    region: required(text('The region that jobs run in.')),
    image: required(image('The image to run, from a registry that Vertex AI can read.')),
    credentials,
    machine_type: text('The kind of machine, which settles CPU and memory.', { default: 'n1-standard-4' }),
    accelerator_type: text('The kind of accelerator.'),
    accelerator_count: integer('How many accelerators a machine gets.'),
    boot_disk_type: text('The kind of boot disk.', { default: 'pd-ssd' }),
    boot_disk_size_gb: integer('The size of the boot disk, in gigabytes.', { title: 'Boot Disk Size (GB)', default: 100 }),
    maximum_run_time_hours: integer('How many hours a job may take.', { title: 'Maximum Run Time (Hours)', default: 1 }),
    network: text('The full name of the network that jobs are peered with.'),
    reserved_ip_ranges: textList('The names of address ranges in that network that jobs may use.', { title: 'Reserved IP Ranges' }),
    service_account_name: text('The service account that a job runs as; the worker must be allowed to act as it.'),
    job_watch_poll_interval: number('How many seconds lie between two looks at a job.', { title: 'Poll Interval (Seconds)', default: 5 }),
  },
})
