import { systemBlock } from './define-block.ts'
import { block, flag, integer, map, required, secret, text } from './fields.ts'

const dockerHost = systemBlock({
  slug: 'docker-host',
  name: 'Docker Host',
  title: 'DockerHost',
  description: 'A machine that runs Docker containers.',
  checksum: 'bf0961e9f2d88fd81bca2c7b78c025bd289776ad84ae8ef22d8f3db8b9561478',
  version: '0.4.5',
  fields: {
    base_url: text('The URL of the Docker daemon.', { title: 'Base URL' }),
    version: text('The version of its API.', { default: 'auto' }),
    timeout: integer('Timeout of a call, in seconds.'),
    max_pool_size: integer('Maximum number of pooled connections.'),
    client_kwargs: map('Additional options of the Docker client.', { title: 'Additional Configuration' }),
  },
})

export const dockerRegistryCredentials = systemBlock({
  slug: 'docker-registry-credentials',
  name: 'Docker Registry Credentials',
  title: 'DockerRegistryCredentials',
  description: 'Credentials for a Docker image registry.',
  checksum: 'd5cbcfdf092e1f904ea26c274fcd0f23d86ecbbd0afae0f254f575ac3e40915d',
  version: '0.4.5',
  fields: {
    username: required(text('The user name.')),
    password: required(secret('The password.')),
    registry_url: required(text('The URL of the registry.')),
    reauth: flag('Sign in again for each use.', { default: true }),
  },
})

export const kubernetesClusterConfig = systemBlock({
  slug: 'kubernetes-cluster-config',
  name: 'Kubernetes Cluster Config',
  title: 'KubernetesClusterConfig',
  description: 'Connection settings of a Kubernetes cluster.',
  checksum: '90d421e948bfbe4cdc98b124995f0edd0f84b0837549ad1390423bad8e31cf3b',
  version: '0.4.0',
  fields: {
    config: required(map('The content of a kubectl config file.')),
    context_name: required(text('The context to use.')),
  },
})

const kubernetesCredentials = systemBlock({
  slug: 'kubernetes-credentials',
  name: 'Kubernetes Credentials',
  title: 'KubernetesCredentials',
  description: 'Credentials for a Kubernetes cluster. Without a config, the credentials of the environment are used.',
  checksum: '957fa8dca90bd1b5fb9c575ee09e80b454116c0b134287fbc2eff47a72564c3b',
  version: '0.3.7',
  fields: { cluster_config: block('How the cluster is reached.', [kubernetesClusterConfig]) },
})

export const containerBlocks = [dockerHost, dockerRegistryCredentials, kubernetesClusterConfig, kubernetesCredentials]
