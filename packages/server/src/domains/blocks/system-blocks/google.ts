import { systemBlock } from './define-block.ts'
import { block, integer, path, required, secretMap, text } from './fields.ts'

const version = '0.5.8'

export const gcpCredentials = systemBlock({
  slug: 'gcp-credentials',
  name: 'GCP Credentials',
  title: 'GcpCredentials',
  description: 'Credentials for Google Cloud. Without a key, the application default credentials are used.',
  checksum: 'f764f9c506a2bed9e5ed7cc9083d06d95f13c01c8c9a9e45bae5d9b4dc522624',
  version,
  fields: {
    service_account_file: path('A file with the key of a service account.'),
    service_account_info: secretMap('The content of a key file.'),
    project: text('The project.'),
  },
})

const bigQueryWarehouse = systemBlock({
  slug: 'bigquery-warehouse',
  name: 'BigQuery Warehouse',
  title: 'BigQueryWarehouse',
  description: 'Queries BigQuery.',
  checksum: 'e8495199f3b490e3b15ba1bc67a97cf04b23aa8a7cba67161291d7cbc882d025',
  version,
  fields: {
    gcp_credentials: required(block('The credentials to use.', [gcpCredentials])),
    fetch_size: integer('Rows per fetch.', { default: 1 }),
  },
})

const gcpSecret = systemBlock({
  slug: 'gcpsecret',
  name: 'GcpSecret',
  title: 'GcpSecret',
  description: 'A secret in Google Secret Manager.',
  checksum: '0311dc4cd2480a4af70d3b30ecd14d296243e73e7245ba064b753e4c0b25acdf',
  version,
  fields: {
    gcp_credentials: required(block('The credentials to use.', [gcpCredentials])),
    secret_name: required(text('The name of the secret.')),
    secret_version: text('The version of the secret.', { default: 'latest' }),
  },
})

const gcsBucket = systemBlock({
  slug: 'gcs-bucket',
  name: 'GCS Bucket',
  title: 'GcsBucket',
  description: 'Stores files in a bucket of Google Cloud Storage.',
  checksum: '6f44cdbd523fb8d4029fbc504a89095d67d27439aec09d2c1871b03a1f4e14e9',
  version,
  capabilities: ['get-directory', 'put-directory', 'read-path', 'write-path'],
  fields: {
    bucket: required(text('The name of the bucket.')),
    gcp_credentials: block('The credentials to use.', [gcpCredentials]),
    bucket_folder: text('The base folder in the bucket.', { default: '' }),
  },
})

export const googleBlocks = [gcpCredentials, bigQueryWarehouse, gcpSecret, gcsBucket]
