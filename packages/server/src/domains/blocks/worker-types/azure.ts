import { containerInstanceCredentials } from '../system-blocks/azure.ts'
import { dockerRegistryCredentials } from '../system-blocks/containers.ts'
import { block, definition, either, flag, integer, number, required, secret, text, textList } from '../system-blocks/fields.ts'
import { asVariables, objectDefinition, variable, workerType } from './define-worker.ts'

const uniqueName = (description: string) => ({ type: 'string', defaultValue: '[uniqueString(resourceGroup().id)]', metadata: { description } })

const armTemplate = {
  $schema: 'https://schema.management.azure.com/schemas/2019-08-01/deploymentTemplate.json#',
  contentVersion: '1.0.0.0',
  parameters: {
    location: { type: 'string', defaultValue: '[resourceGroup().location]', metadata: { description: 'The location of all resources.' } },
    container_group_name: uniqueName('The name of the container group.'),
    container_name: uniqueName('The name of the container.'),
  },
  resources: [
    {
      type: 'Microsoft.ContainerInstance/containerGroups',
      apiVersion: '2022-09-01',
      name: "[parameters('container_group_name')]",
      location: "[parameters('location')]",
      properties: {
        containers: [
          {
            name: "[parameters('container_name')]",
            properties: {
              image: variable('image'),
              command: variable('command'),
              resources: { requests: { cpu: variable('cpu'), memoryInGB: variable('memory') } },
              environmentVariables: [],
            },
          },
        ],
        osType: 'Linux',
        restartPolicy: 'Never',
      },
    },
  ],
}

export const containerInstanceWorker = workerType({
  type: 'azure-container-instance',
  collection: 'prefect-azure',
  displayName: 'Azure Container Instances',
  description: 'Runs each flow run in a container on Azure Container Instances.',
  job: {
    ...asVariables([
      'image',
      'resource_group_name',
      'subscription_id',
      'identities',
      'entrypoint',
      'image_registry',
      'cpu',
      'gpu_count',
      'gpu_sku',
      'memory',
      'subnet_ids',
      'dns_servers',
      'stream_output',
      'aci_credentials',
      'task_start_timeout_seconds',
      'task_watch_poll_interval',
    ]),
    arm_template: armTemplate,
  },
  variables: {
    image: text('The image to run. Default: the latest image of the client.'),
    resource_group_name: required(text('The resource group to run in.', { title: 'Azure Resource Group Name' })),
    subscription_id: required(secret('The subscription.', { title: 'Azure Subscription ID' })),
    identities: textList('The ARM resource ids of the identities of the container group.'),
    entrypoint: text('The entrypoint of the container.', { default: '/opt/prefect/entrypoint.sh' }),
    image_registry: either(
      'Credentials for a private image registry: user and password, or a managed identity.',
      [definition('DockerRegistryCredentials'), definition('ACRManagedIdentity')],
      { title: 'Image Registry (Optional)' },
      { blocks: [dockerRegistryCredentials] },
    ),
    cpu: number('CPUs of a container.', { title: 'CPU', default: 1 }),
    gpu_count: integer('GPUs of a container.', { title: 'GPU Count' }),
    gpu_sku: text('The type of GPU.', { title: 'GPU SKU' }),
    memory: number('Memory of a container, in gigabytes.', { default: 1 }),
    subnet_ids: textList('The subnets of the container group.', { title: 'Subnet IDs' }),
    dns_servers: textList('The DNS servers of the container group.', { title: 'DNS Servers' }),
    aci_credentials: block('The credentials to use.', [containerInstanceCredentials]),
    stream_output: flag('Stream the output of runs to the worker.', { default: false }),
    task_start_timeout_seconds: integer('Maximum number of seconds for a container to start.', { default: 240 }),
    task_watch_poll_interval: number('Seconds between two polls of a container.', { default: 5 }),
  },
  definitions: objectDefinition('ACRManagedIdentity', {
    registry_url: required(text('The URL of the registry.', { title: 'Registry URL' })),
    identity: required(text('The identity with read access.')),
  }),
})
