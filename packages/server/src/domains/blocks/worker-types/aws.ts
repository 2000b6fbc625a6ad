import { awsCredentials } from '../system-blocks/aws.ts'
import { block, choice, flag, integer, map, number, required, text, textMap } from '../system-blocks/fields.ts'
import { asVariables, listOf, objectDefinition, variable, workerType } from './define-worker.ts'

const size = asVariables(['cpu', 'memory'])

export const ecsWorker = workerType({
  type: 'ecs',
  collection: 'prefect-aws',
  displayName: 'AWS Elastic Container Service',
  description: 'Runs each flow run as a task on AWS ECS, be it Fargate, EC2 or machines of your own.',
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
    task_definition_arn: text('A task definition that is there already; what would change it is then left out.'),
    aws_credentials: block('Who signs in; whoever AWS finds by itself unless given.', [awsCredentials], { title: 'AWS Credentials' }),
    cluster: text('The name or ARN of the cluster; the default one unless given.'),
    family: text('The family of the task definition.'),
    launch_type: choice('The kind of machine that tasks run on.', ['FARGATE', 'EC2', 'EXTERNAL', 'FARGATE_SPOT'], { default: 'FARGATE' }),
    capacity_provider_strategy: listOf('How capacity is found; it goes before the launch type.', 'CapacityProvider'),
    image: text('The image to run; the newest one of the client unless given.'),
    cpu: integer('How much CPU a task gets, in units of which 1024 are one CPU.', { title: 'CPU' }),
    memory: integer('How much memory a task gets, in MiB.'),
    container_name: text('The container that the run takes place in.'),
    task_role_arn: text('The role of a task while it runs.', { title: 'Task Role ARN' }),
    execution_role_arn: text('The role with which a task is started.', { title: 'Execution Role ARN' }),
    vpc_id: text('The VPC that tasks are in, with the network mode awsvpc.', { title: 'VPC ID' }),
    configure_cloudwatch_logs: flag('Whether the output goes to CloudWatch; the execution role must be allowed to.'),
    cloudwatch_logs_options: textMap('More options of the log driver.'),
    cloudwatch_logs_prefix: text('What the names of log streams begin with.'),
    network_configuration: map('The network of a task, instead of the one that the worker works out.'),
    stream_output: flag('Whether the output of runs appears in that of the worker; it takes CloudWatch.'),
    task_start_timeout_seconds: integer('How many seconds a task may take to start.', { default: 300 }),
    task_watch_poll_interval: number('How many seconds lie between two looks at a task.', { default: 5 }),
    auto_deregister_task_definition: flag('Whether task definitions that the worker made are removed afterwards.', { default: false }),
    match_latest_revision_in_family: flag('Whether the newest task definition of the family is taken when it is the same.', { default: false }),
  },
  definitions: objectDefinition('CapacityProvider', {
    capacityProvider: required(text('The name of the provider.', { title: 'Capacityprovider' })),
    weight: required(integer('Its share of the tasks.')),
    base: required(integer('How many tasks it gets before shares count.')),
  }),
})
