import { systemBlock } from './define-block.ts'
import { block, either, flag, map, nestedObject, path, properties, required, secret, text } from './fields.ts'

const version = '0.4.14'
const region = text('The AWS region to connect to.')

const clientParameters = {
  AwsClientParameters: {
    title: 'AwsClientParameters',
    description: 'Options of the AWS client.',
    type: 'object',
    properties: properties({
      api_version: text('The API version. Default: the latest.', { title: 'API Version' }),
      use_ssl: flag('Use encrypted connections.', { title: 'Use SSL', default: true }),
      verify: either('Verify certificates, or a file with trusted certificates.', [{ type: 'boolean' }, { type: 'string', format: 'file-path' }], {
        default: true,
      }),
      verify_cert_path: path('A file with trusted certificates.', { title: 'Certificate Authority Bundle File Path', format: 'file-path' }),
      endpoint_url: text('The full URL of the service, if it is not the default.', { title: 'Endpoint URL' }),
      config: map('Additional options of the client.', { title: 'Botocore Config' }),
    }),
  },
}
const parameters = (title: string) => nestedObject('Options of the AWS client.', 'AwsClientParameters', { title })

export const awsCredentials = systemBlock({
  slug: 'aws-credentials',
  name: 'AWS Credentials',
  title: 'AwsCredentials',
  description: 'Credentials for AWS.',
  checksum: '17b73297ed60f080fb235b3a5a145a6d9b28a09b3ff2d9d17810b5e2c2075ebe',
  version,
  fields: {
    aws_access_key_id: text('The id of the access key.', { title: 'AWS Access Key ID' }),
    aws_secret_access_key: secret('The secret of the access key.', { title: 'AWS Access Key Secret' }),
    aws_session_token: text('The token of temporary credentials.', { title: 'AWS Session Token' }),
    profile_name: text('The profile with the credentials.'),
    region_name: region,
    aws_client_parameters: parameters('AWS Client Parameters'),
  },
  definitions: clientParameters,
})

export const minioCredentials = systemBlock({
  slug: 'minio-credentials',
  name: 'MinIO Credentials',
  title: 'MinIOCredentials',
  description: 'Credentials for a MinIO server.',
  checksum: '5b4f1e5270f3a3670ff3d06b7e6e8246d54dacba976321dec42abe51c33415fb',
  version,
  fields: {
    minio_root_user: required(text('The root user.')),
    minio_root_password: required(secret('The password of the root user.')),
    region_name: region,
    aws_client_parameters: parameters('Aws Client Parameters'),
  },
  definitions: clientParameters,
})

const awsSecret = systemBlock({
  slug: 'aws-secret',
  name: 'AWS Secret',
  title: 'AwsSecret',
  description: 'A secret in AWS Secrets Manager.',
  checksum: 'd10fde5ac25b10edca4859c4d0bf61b4a9106215cd79ab80997f29859b190b7d',
  version,
  fields: {
    aws_credentials: required(block('The credentials to use.', [awsCredentials])),
    secret_name: required(text('The name of the secret.')),
  },
})

const lambdaFunction = systemBlock({
  slug: 'lambda-function',
  name: 'Lambda Function',
  title: 'LambdaFunction',
  description: 'An AWS Lambda function that flows can call.',
  checksum: '93fb424309b85c0ef9a8e69cc9d0df1e0afa0f2ed15f1ecc710ec3463513b2e4',
  version,
  fields: {
    function_name: required(text('The name or ARN of the function.')),
    qualifier: text('The version or alias to call. Default: the latest.'),
    aws_credentials: block('The credentials to use.', [awsCredentials], { title: 'AWS Credentials' }),
  },
})

const s3Bucket = systemBlock({
  slug: 's3-bucket',
  name: 'S3 Bucket',
  title: 'S3Bucket',
  description: 'Stores files in a bucket on S3 or an S3-compatible service.',
  checksum: 'da1e638612365b12ec83b6102986cc5efe54e84b7144bd668629f6972afe748f',
  version,
  capabilities: ['get-directory', 'put-directory', 'read-path', 'write-path'],
  fields: {
    bucket_name: required(text('The name of the bucket.')),
    credentials: block('The credentials to use.', [minioCredentials, awsCredentials]),
    bucket_folder: text('The base folder in the bucket.', { default: '' }),
  },
})

export const awsBlocks = [awsCredentials, minioCredentials, awsSecret, lambdaFunction, s3Bucket]
