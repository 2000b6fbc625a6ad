import { awsCredentials } from '../system-blocks/aws.ts'
import { block, choice, flag, integer, map, number, required, text, textMap } from '../system-blocks/fields.ts'
import { asVariables, listOf, objectDefinition, variable, workerType } from './define-worker.ts'

const size = asVariables(['cpu', 'memory'])

export const ecsWorker = workerType({
  type: 'ecs',
  collection: 'prefect-aws',
  displayName: 'AWS Elastic Container Service',
  description: 'Runs each flow run as a task on AWS ECS, on Fargate, EC2 or external instances.',
  job: {
    aws_credentials: variable('aws_credentials'),
    task_definition: {
      containerDefinitions: [{ image: variable('image'), name: variable('container_name') }],
      ...size,
      family: variable('family'),
      executionRoleArn: variable('execution_role_arn'),
    },
    task_run_request: {
      launchType: variable('launch_type'),
      cluster: variable('cluster'),
      overrides: {
        containerOverrides: [{ name: variable('container_name'), command: variable('command'), environment: variable('env'), ...size }],
        ...size,
        taskRoleArn: variable('task_role_arn'),
      },
      tags: variable('labels'),
      taskDefinition: variable('task_definition_arn'),
      capacityProviderStrategy: variable('capacity_provider_strategy'),
    },
    ...asVariables([
      'configure_cloudwatch_logs',
      'cloudwatch_logs_options',
      'cloudwatch_logs_prefix',
      'network_configuration',
      'stream_output',
      'task_start_timeout_seconds',
      'task_watch_poll_interval',
      'auto_deregister_task_definition',
      'vpc_id',
      'container_name',
      'cluster',
      'match_latest_revision_in_family',
    ]),
  },
  variables: {
    task_definition_arn: text('An existing task definition. Settings that would change it are ignored.'),
    aws_credentials: block('Credentials for AWS. Default: the credentials of the environment.', [awsCredentials], { title: 'AWS Credentials' }),
    cluster: text('The name or ARN of the cluster. Default: the default cluster.'),
    family: text('The family of the task definition.'),
    launch_type: choice('The launch type of tasks.', ['FARGATE', 'EC2', 'EXTERNAL', 'FARGATE_SPOT'], { default: 'FARGATE' }),
    capacity_provider_strategy: listOf('The capacity provider strategy. Takes precedence over the launch type.', 'CapacityProvider'),
    image: text('The image to run. Default: the latest image of the client.'),
    cpu: integer('CPU units of a task; 1024 units are one CPU.', { title: 'CPU' }),
    memory: integer('Memory of a task, in MiB.'),
    container_name: text('The container of the run.'),
    task_role_arn: text('The role of the running task.', { title: 'Task Role ARN' }),
    execution_role_arn: text('The role that starts the task.', { title: 'Execution Role ARN' }),
    vpc_id: text('The VPC of tasks with the network mode awsvpc.', { title: 'VPC ID' }),
    configure_cloudwatch_logs: flag('Write the output to CloudWatch. Requires permission of the execution role.'),
    cloudwatch_logs_options: textMap('Additional options of the log driver.'),
    cloudwatch_logs_prefix: text('The prefix of log stream names.'),
    network_configuration: map('The network configuration of a task, instead of the worker default.'),
    stream_output: flag('Stream the output of runs to the worker. Requires CloudWatch.'),
    task_start_timeout_seconds: integer('Maximum number of seconds for a task to start.', { default: 300 }),
    task_watch_poll_interval: number('Seconds between two polls of a task.', { default: 5 }),
    auto_deregister_task_definition: flag('Deregister task definitions that the worker created.', { default: false }),
    match_latest_revision_in_family: flag('Use the latest task definition of the family if it is equal.', { default: false }),
  },
  definitions: objectDefinition('CapacityProvider', {
    capacityProvider: required(text('The name of the provider.', { title: 'Capacityprovider' })),
    weight: required(integer('The relative share of tasks.')),
    base: required(integer('The number of tasks before shares apply.')),
  }),
})
