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
    base_url: text('The address of the Docker daemon.', { title: 'Base URL' }),
    version: text('The version of its API.', { default: 'auto' }),
    timeout: integer('How many seconds a call may take.'),
    max_pool_size: integer('How many connections are kept at most.'),
    client_kwargs: map('More options of the Docker client.', { title: 'Additional Configuration' }),
  },
})

export const dockerRegistryCredentials = systemBlock({
  slug: 'docker-registry-credentials',
  name: 'Docker Registry Credentials',
  title: 'DockerRegistryCredentials',
  description: 'Who signs in to a registry of Docker images.',
  checksum: 'd5cbcfdf092e1f904ea26c274fcd0f23d86ecbbd0afae0f254f575ac3e40915d',
  version: '0.4.5',
  fields: {
    username: required(text('The name of the user.')),
    password: required(secret('The password of the user.')),
    registry_url: required(text('The address of the registry.')),
    reauth: flag('Whether to sign in anew each time.', { default: true }),
  },
})

export const kubernetesClusterConfig = systemBlock({
  slug: 'kubernetes-cluster-config',
  name: 'Kubernetes Cluster Config',
  title: 'KubernetesClusterConfig',
  description: 'How a Kubernetes cluster is reached.',
  checksum: '90d421e948bfbe4cdc98b124995f0edd0f84b0837549ad1390423bad8e31cf3b',
  version: '0.4.0',
  fields: {
    config: required(map('The content of a kubectl config file.')),
    context_name: required(text('The context in it to use.')),
  },
})

const kubernetesCredentials = systemBlock({
  slug: 'kubernetes-credentials',
  name: 'Kubernetes Credentials',
  title: 'KubernetesCredentials',
  description: 'Who signs in to a Kubernetes cluster; without a config, whoever runs the code.',
  checksum: '957fa8dca90bd1b5fb9c575ee09e80b454116c0b134287fbc2eff47a72564c3b',
  version: '0.3.7',
  fields: { cluster_config: block('How the cluster is reached.', [kubernetesClusterConfig]) },
})

export const containerBlocks = [dockerHost, dockerRegistryCredentials, kubernetesClusterConfig, kubernetesCredentials]
