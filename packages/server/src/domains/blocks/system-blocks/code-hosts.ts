import { systemBlock } from './define-block.ts'
import { block, required, secret, text } from './fields.ts'

const version = '0.2.2'
const capabilities = ['get-directory']
const reference = text('The branch or tag. Default: the default branch.')
const personalToken = (description: string) => secret(description, { name: 'Personal Access Token' })

const bitbucketCredentials = systemBlock({
  slug: 'bitbucket-credentials',
  name: 'BitBucket Credentials',
  title: 'BitBucketCredentials',
  description: 'Credentials for Bitbucket.',
  checksum: 'ef96bdc56cde651f152e3f8938018d53d725b25b5ae98777872c0962250ba0fc',
  version,
  fields: {
    token: personalToken('A token with read access to private repositories.'),
    username: text('The user name.'),
    password: secret('The password.'),
    url: text('The URL of the Bitbucket API.', { title: 'URL', default: 'https://api.bitbucket.org/' }),
  },
})

const bitbucketRepository = systemBlock({
  slug: 'bitbucket-repository',
  name: 'BitBucket Repository',
  title: 'BitBucketRepository',
  description: 'Reads files of a repository on Bitbucket.',
  checksum: 'b159a8f21358b694f13fb67b73f20bf3f8b74138940fc0f16ab08107e78d5237',
  version,
  capabilities,
  fields: {
    repository: required(text('The HTTPS URL of the repository.')),
    reference,
    bitbucket_credentials: block('Credentials for a private repository.', [bitbucketCredentials]),
  },
})

const githubCredentials = systemBlock({
  slug: 'github-credentials',
  name: 'GitHub Credentials',
  title: 'GitHubCredentials',
  description: 'Credentials for GitHub.',
  checksum: '74a34b668838ba661d9160ab127053dd44a22dd04e89562839645791e70d046a',
  version,
  fields: { token: secret('A personal access token.') },
})

const githubRepository = systemBlock({
  slug: 'github-repository',
  name: 'GitHub Repository',
  title: 'GitHubRepository',
  description: 'Reads files of a repository on GitHub.',
  checksum: '3d2b2de1cd9336264ccc73f7078264d9053dc956941136516e18050c9953abf0',
  version,
  capabilities,
  fields: {
    repository_url: required(text('The URL of the repository: HTTPS or SSH; HTTPS for a private one.', { title: 'Repository URL' })),
    reference,
    credentials: block('Credentials for a private repository.', [githubCredentials]),
  },
})

const gitlabCredentials = systemBlock({
  slug: 'gitlab-credentials',
  name: 'GitLab Credentials',
  title: 'GitLabCredentials',
  description: 'Credentials for GitLab.',
  checksum: '7d8d6317127bc66afe9e97ae5658ee8e1decdc598350eb292fb62be379f0246c',
  version,
  fields: {
    token: personalToken('A token with the scope read_repository.'),
    url: text('The URL of a self-hosted GitLab.', { title: 'URL' }),
  },
})

const gitlabRepository = systemBlock({
  slug: 'gitlab-repository',
  name: 'GitLab Repository',
  title: 'GitLabRepository',
  description: 'Reads files of a repository on GitLab.',
  checksum: 'ac874a97e2ff2403a4b63181b6ae85dd51b4a0df0337d290d922627f5123af44',
  version,
  capabilities,
  fields: {
    repository: required(text('The HTTPS or SSH URL of the repository.')),
    reference,
    credentials: block('Credentials for a private repository.', [gitlabCredentials]),
  },
})

export const codeHostBlocks = [bitbucketCredentials, bitbucketRepository, githubCredentials, githubRepository, gitlabCredentials, gitlabRepository]
