import { systemBlock } from './define-block.ts'
import { block, map, required, secret, text } from './fields.ts'

const version = '0.3.7'

const blobStorageCredentials = systemBlock({
  slug: 'azure-blob-storage-credentials',
  name: 'Azure Blob Storage Credentials',
  title: 'AzureBlobStorageCredentials',
  description: 'Credentials for Azure Blob Storage.',
  checksum: '73e835b6cb9a1902fd869037fb7f8a90f974508dda7a168e748a1206e7c325eb',
  version,
  fields: {
    connection_string: secret('The connection string of the storage account. Takes precedence over the URL.'),
    account_url: text('The URL of the storage account, for the default Azure credentials.', { title: 'Account URL' }),
  },
})

const blobStorageContainer = systemBlock({
  slug: 'azure-blob-storage-container',
  name: 'Azure Blob Storage Container',
  title: 'AzureBlobStorageContainer',
  description: 'Stores files in a container of Azure Blob Storage.',
  checksum: 'dcb604fba31292177868c0998110c7b4c0ba0b5601ee39679b2936adfd836f19',
  version,
  capabilities: ['get-directory', 'put-directory', 'read-path', 'write-path'],
  fields: {
    container_name: required(text('The name of the container.')),
    credentials: block('The credentials to use.', [blobStorageCredentials]),
    base_folder: text('The base folder in the container.'),
  },
})

const principal = 'Set all three fields of the service principal, or none to use the default Azure credentials.'

export const containerInstanceCredentials = systemBlock({
  slug: 'azure-container-instance-credentials',
  name: 'Azure Container Instance Credentials',
  title: 'AzureContainerInstanceCredentials',
  description: `Credentials for Azure Container Instances. ${principal}`,
  checksum: '17a9122f9f345a4547128cc05f7ff7146da9a72c4bac2850004fcc6c8d9be2d1',
  version,
  fields: {
    client_id: text('The client of the service principal.', { title: 'Client ID' }),
    tenant_id: text('The tenant of the service principal.', { title: 'Tenant ID' }),
    client_secret: secret('The secret of the service principal.'),
    credential_kwargs: map('Additional options of the credentials.', { title: 'Additional Credential Keyword Arguments' }),
  },
})

const cosmosDbCredentials = systemBlock({
  slug: 'azure-cosmos-db-credentials',
  name: 'Azure Cosmos DB Credentials',
  title: 'AzureCosmosDbCredentials',
  description: 'Credentials for Azure Cosmos DB.',
  checksum: '2f9f6e6f6c2eb570a05113638e6237fe74f7684993a351018657211d4705a83a',
  version,
  fields: { connection_string: required(secret('The connection string of the account.')) },
})

const machineLearningCredentials = systemBlock({
  slug: 'azureml-credentials',
  name: 'AzureML Credentials',
  title: 'AzureMlCredentials',
  description: 'Credentials for an Azure Machine Learning workspace.',
  checksum: '11338ccb5cd90992ac378f9b7a73cbf1942fae58343ac2026b3718ed688b52e6',
  version,
  fields: {
    tenant_id: required(text('The tenant of the service principal.')),
    service_principal_id: required(text('The service principal.')),
    service_principal_password: required(secret('The password of the service principal.')),
    subscription_id: required(text('The subscription of the workspace.')),
    resource_group: required(text('The resource group of the workspace.')),
    workspace_name: required(text('The name of the workspace.')),
  },
})

export const azureBlocks = [
  blobStorageCredentials,
  blobStorageContainer,
  containerInstanceCredentials,
  cosmosDbCredentials,
  machineLearningCredentials,
]
