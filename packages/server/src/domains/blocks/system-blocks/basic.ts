import { systemBlock } from './define-block.ts'
import { choice, definition, either, flag, integer, map, orNull, path, required, secret, secretMap, text } from './fields.ts'

const files = ['get-directory', 'put-directory', 'read-path', 'write-path']

export const secretBlock = systemBlock({
  slug: 'secret',
  name: 'Secret',
  title: 'Secret',
  description:
    'A value that nobody should see, such as a password or an API key: text or any JSON. It is shown to code that asks for it and to nobody else.',
  checksum: 'c078ed9c1e813e224c0b353d7ad4564a11d51d3198d9ac0686478165a1911c78',
  isProtected: true,
  fields: {
    value: required(
      either(
        'The value to keep.',
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
  description: 'Calls an address over HTTP, from a flow or from an automation.',
  checksum: '58bb03f0d84592252ad568ed9a8c899792ae5d0ad2dd4a2428e99674f9050cf1',
  isProtected: true,
  fields: {
    method: choice('How the address is called.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' }),
    url: required(secret('The address. Often it holds a token, so it is kept secret.', { title: 'Webhook URL' })),
    headers: secretMap('Headers to send along; their values are kept secret.', { title: 'Webhook Headers' }),
    allow_private_urls: flag('Whether the address may lie in a private network.', { default: true }),
    verify: flag('Whether the certificate of the other side has to be good.', { default: true }),
  },
})

export const localFileSystem = systemBlock({
  slug: 'local-file-system',
  name: 'Local File System',
  title: 'LocalFileSystem',
  description: 'Keeps files in a folder of the machine that the code runs on.',
  checksum: '0fc8b7f936f38f465715ef2df4a817ac9fe38b80bb01d5c6c9649a6da6ae6971',
  capabilities: files,
  isProtected: true,
  fields: { basepath: orNull(text('The folder that paths start from.')) },
})

export const remoteFileSystem = systemBlock({
  slug: 'remote-file-system',
  name: 'Remote File System',
  title: 'RemoteFileSystem',
  description: 'Keeps files wherever fsspec can reach, such as s3:// or gs://.',
  checksum: '3bca63009aa57af6c7053fc17a2a336a1e1801bbb19ca2c5939b59afe435c531',
  capabilities: files,
  fields: {
    basepath: required(text('Where paths start from, with the scheme of the storage.', { examples: ['s3://bucket/folder/'] })),
    settings: map('Options for fsspec, such as keys.'),
  },
})

export const smb = systemBlock({
  slug: 'smb',
  name: 'SMB',
  title: 'SMB',
  description: 'Keeps files on a Windows share.',
  checksum: '849cd014b777a64ee219f6b8b13c15b37c34ea4138d9224c4d45bf00ba2e4681',
  capabilities: files,
  fields: {
    share_path: required(text('The share and the folder in it.', { examples: ['/SHARE/folder'] })),
    smb_username: orNull(secret('Who signs in.', { title: 'SMB Username' })),
    smb_password: orNull(secret('The password of that user.', { title: 'SMB Password' })),
    smb_host: required(text('The server that has the share.', { title: 'SMB server/hostname' })),
    smb_port: orNull(integer('The port of the server, 445 unless given.', { title: 'SMB port' })),
  },
})

export const shellOperation = systemBlock({
  slug: 'shell-operation',
  name: 'Shell Operation',
  title: 'ShellOperation',
  description: 'Runs commands in a shell, one after the other.',
  checksum: '9525e2fd40af302916ff7a4c33ec9c0e20d8970b09243ca010d729fac144811d',
  version: '0.2.2',
  fields: shellFields(),
})

/** What a run of shell commands takes, also one with dbt. */
export function shellFields() {
  return {
    commands: required(map('The commands, in the order in which they run.', { type: 'array', items: { type: 'string' } })),
    stream_output: flag('Whether the output goes to the log as it comes.', { default: true }),
    env: map('Environment variables for the commands.', { title: 'Environment Variables', additionalProperties: { type: 'string' } }),
    working_dir: path('The folder to run in, as an absolute path.', { title: 'Working Directory', format: 'directory-path' }),
    shell: text('The shell to run in: bash unless given, on Windows PowerShell.'),
    extension: text('The ending of the script that the commands are written to: .sh unless given, on Windows .ps1.'),
  }
}
