import { systemBlock } from './define-block.ts'
import { choice, definition, either, flag, integer, map, orNull, path, required, secret, secretMap, text } from './fields.ts'

const files = ['get-directory', 'put-directory', 'read-path', 'write-path']

export const secretBlock = systemBlock({
  slug: 'secret',
  name: 'Secret',
  title: 'Secret',
  description: 'A secret value, such as a password or an API key: text or any JSON. Only code that loads the block can read it.',
  checksum: 'c078ed9c1e813e224c0b353d7ad4564a11d51d3198d9ac0686478165a1911c78',
  isProtected: true,
  fields: {
    value: required(
      either(
        'The secret value.',
        [
          { type: 'string', format: 'password', writeOnly: true },
          { title: 'string', type: 'string' },
          { title: 'JSON', ...definition('JsonValue') },
        ],
        { format: 'password', writeOnly: true },
        { secrets: [''] },
      ),
    ),
  },
  definitions: { JsonValue: {} },
})

export const webhook = systemBlock({
  slug: 'webhook',
  name: 'Webhook',
  title: 'Webhook',
  description: 'Calls a URL over HTTP, from a flow or an automation.',
  checksum: '58bb03f0d84592252ad568ed9a8c899792ae5d0ad2dd4a2428e99674f9050cf1',
  isProtected: true,
  fields: {
    method: choice('The HTTP method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' }),
    url: required(secret('The URL. It is stored as a secret, because it often contains a token.', { title: 'Webhook URL' })),
    headers: secretMap('Request headers. Their values are stored as secrets.', { title: 'Webhook Headers' }),
    allow_private_urls: flag('Allow URLs in private networks.', { default: true }),
    verify: flag('Verify the certificate of the server.', { default: true }),
  },
})

export const localFileSystem = systemBlock({
  slug: 'local-file-system',
  name: 'Local File System',
  title: 'LocalFileSystem',
  description: 'Stores files in a folder on the machine that runs the code.',
  checksum: '0fc8b7f936f38f465715ef2df4a817ac9fe38b80bb01d5c6c9649a6da6ae6971',
  capabilities: files,
  isProtected: true,
  fields: { basepath: orNull(text('The base folder.')) },
})

export const remoteFileSystem = systemBlock({
  slug: 'remote-file-system',
  name: 'Remote File System',
  title: 'RemoteFileSystem',
  description: 'Stores files on any storage that fsspec supports, such as s3:// or gs://.',
  checksum: '3bca63009aa57af6c7053fc17a2a336a1e1801bbb19ca2c5939b59afe435c531',
  capabilities: files,
  fields: {
    basepath: required(text('The base path, with the scheme of the storage.', { examples: ['s3://bucket/folder/'] })),
    settings: map('Options for fsspec, such as keys.'),
  },
})

export const smb = systemBlock({
  slug: 'smb',
  name: 'SMB',
  title: 'SMB',
  description: 'Stores files on a Windows share.',
  checksum: '849cd014b777a64ee219f6b8b13c15b37c34ea4138d9224c4d45bf00ba2e4681',
  capabilities: files,
  fields: {
    share_path: required(text('The share and the folder in it.', { examples: ['/SHARE/folder'] })),
    smb_username: orNull(secret('The credentials to use.', { title: 'SMB Username' })),
    smb_password: orNull(secret('The password.', { title: 'SMB Password' })),
    smb_host: required(text('The host name of the server.', { title: 'SMB server/hostname' })),
    smb_port: orNull(integer('The port of the server. Default: 445.', { title: 'SMB port' })),
  },
})

export const shellOperation = systemBlock({
  slug: 'shell-operation',
  name: 'Shell Operation',
  title: 'ShellOperation',
  description: 'Runs shell commands in sequence.',
  checksum: '9525e2fd40af302916ff7a4c33ec9c0e20d8970b09243ca010d729fac144811d',
  version: '0.2.2',
  fields: shellFields(),
})

/** Fields of shell operations, also used for dbt. */
export function shellFields() {
  return {
    commands: required(map('The commands, in order.', { type: 'array', items: { type: 'string' } })),
    stream_output: flag('Stream the output to the log.', { default: true }),
    env: map('Environment variables for the commands.', { title: 'Environment Variables', additionalProperties: { type: 'string' } }),
    working_dir: path('The working directory, as an absolute path.', { title: 'Working Directory', format: 'directory-path' }),
    shell: text('The shell. Default: bash, on Windows PowerShell.'),
    extension: text('The file extension of the generated script. Default: .sh, on Windows .ps1.'),
  }
}
