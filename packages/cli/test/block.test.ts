import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)
const folder = mkdtempSync(join(tmpdir(), 'millrace-block-'))
afterAll(() => rmSync(folder, { recursive: true }))

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const withInput = (stdin: string, ...argv: string[]) => runCli(['--server', server.url, ...argv], { stdin })
const post = async (path: string, body: object) => (await server.app.call('POST', path, body)).body

beforeAll(async () => {
  expect(await millrace('block', 'type', 'register-builtin')).toBe('Registered the built-in block types.')
  const type = await post('/block_types/', { name: 'Warehouse', slug: 'warehouse', description: 'A database for reports' })
  await post('/block_schemas/', {
    block_type_id: type.id,
    version: '2',
    fields: {
      title: 'Warehouse',
      type: 'object',
      properties: {
        host: { type: 'string', description: 'The host.' },
        port: { type: 'integer', description: 'The port.', default: 5432 },
        mode: { enum: ['read', 'write'], type: 'string' },
        password: { anyOf: [{ type: 'string', format: 'password', writeOnly: true }, { type: 'null' }] },
        options: { type: 'object', description: 'Options of the driver.' },
        any: { title: 'Anything' },
      },
      required: ['host', 'password'],
      secret_fields: ['password'],
      block_type_slug: 'warehouse',
    },
  })
})

describe('block create', () => {
  test('reads fields by their type', async () => {
    const fields = ['host=10', 'port=6000', 'password=123', 'options={"ssl": true}', 'any=text'].flatMap((field) => ['--field', field])
    expect(await millrace('block', 'create', '--type', 'warehouse', '--name', 'main', ...fields)).toBe('Created block "warehouse/main".')
    const { data } = await server.json('block', 'inspect', 'warehouse/main', '--show-secrets')
    expect(data).toEqual({ host: '10', port: 6000, password: '123', options: { ssl: true }, any: 'text' })
  })

  test('reads a file and stdin', async () => {
    writeFileSync(join(folder, 'fields.yaml'), 'host: db.example\npassword: from the file\nport: 1\n')
    writeFileSync(join(folder, 'password.txt'), 'p@ss\n')
    const args = ['--file', join(folder, 'fields.yaml'), '-f', `password=@${join(folder, 'password.txt')}`, '-f', 'any=@@home']
    await server.json('block', 'create', '-t', 'warehouse', '-n', 'spare', ...args)
    expect((await server.json('block', 'inspect', 'spare', '--show-secrets')).data).toEqual({
      host: 'db.example',
      password: 'p@ss',
      port: 1,
      any: '@home',
    })
    const { stdout } = await withInput('{"user": "a"}', 'block', 'create', '-t', 'secret', '-n', 'json', '-f', 'value=@-', '-o', 'json')
    expect(JSON.parse(stdout).data).toEqual({ value: { user: '********' } })
    expect((await server.json('block', 'inspect', 'secret/json', '--show-secrets')).data).toEqual({ value: { user: 'a' } })
  })

  test('never prints secrets', async () => {
    const { stdout } = await server.millrace('block', 'create', '-t', 'secret', '-n', 'api-key', '-f', 'value=geheim', '-o', 'json')
    expect(JSON.parse(stdout).data).toEqual({ value: '********' })
    for (const format of ['table', 'wide', 'json', 'yaml']) {
      for (const command of [['inspect', 'secret/api-key'], ['ls'], ['update', 'secret/api-key', '-f', 'value=geheim']]) {
        expect((await server.millrace('block', ...command, '-o', format)).stdout).not.toContain('geheim')
      }
    }
    expect((await server.millrace('block', 'inspect', 'secret/api-key', '--show-secrets')).stdout).toContain('value: geheim')
  })

  test('references another block by name', async () => {
    await server.json('block', 'create', '-t', 'aws-credentials', '-n', 'prod', '-f', 'aws_access_key_id=AKIA')
    const bucket = ['block', 'create', '-t', 's3-bucket', '-n', 'lake', '-f', 'bucket_name=lake']
    const created = await server.json(...bucket, '-f', 'credentials=aws-credentials/prod')
    expect(created.block_document_references.credentials.block_document).toMatchObject({ name: 'prod' })
    expect(await millrace(...bucket, '-f', 'credentials=secret/api-key')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Field "credentials" takes a block of type minio-credentials or aws-credentials, not secret."
    `)
    expect(await millrace(...bucket, '-f', 'credentials=aws-credentials/none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block "aws-credentials/none" not found. \`millrace block ls\` shows what there is."
    `)
  })

  test('rejects fields, names and types', async () => {
    const create = (...args: string[]) => millrace('block', 'create', '-t', 'warehouse', '-n', 'new', ...args)
    expect(await create('-f', 'host=a')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Missing field of block type "warehouse": password. Give --field NAME=VALUE."
    `)
    expect(await create('-f', 'hots=a')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Block type "warehouse" has no field "hots". Fields: host, port, mode, password, options, any."
    `)
    expect(await create('-f', 'port=many', '-f', 'host=a', '-f', 'password=b')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Field "port": "many" is not a value of type integer. Lists and objects are written as JSON."
    `)
    expect(screen(await withInput('[]', 'block', 'create', '-t', 'warehouse', '-n', 'new', '--file', '-'))).toMatchInlineSnapshot(`
      "exit code 2
      Error: stdin: expected an object, got a list."
    `)
    expect(await millrace('block', 'create', '-t', 'none', '-n', 'new')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block type "none" not found. \`millrace block type ls\` shows what there is."
    `)
    expect(await millrace('block', 'create', '-t', 'secret', '-n', 'New Name', '-f', 'value=1')).toMatchInlineSnapshot(`
      "exit code 1
      Error: name: String should match pattern '^[a-z0-9-]*$' (request <id>)"
    `)
    expect(await millrace('block', 'create', '-t', 'secret', '-n', 'api-key', '-f', 'value=1')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A block document of this type by the name api-key already exists (request <id>)"
    `)
    expect(await server.millrace('block', 'create', '-t', 'secret', '-n', 'a', '-f', 'value')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It is not NAME=VALUE.'),
    })
  })
})

describe('block ls', () => {
  test('shows types and names', async () => {
    expect(await millrace('block', 'ls')).toMatchInlineSnapshot(`
      "TYPE             NAME     UPDATED
      aws-credentials  prod     3m ago
      s3-bucket        lake     3m ago
      secret           api-key  3m ago
      secret           json     3m ago
      warehouse        main     3m ago
      warehouse        spare    3m ago"
    `)
    expect(await millrace('block', 'ls', '--type', 'secret', '--name', 'api', '-o', 'wide')).toMatchInlineSnapshot(`
      "TYPE    NAME     UPDATED  ID
      secret  api-key  3m ago   <id>"
    `)
    expect(await millrace('block', 'ls', '--name', 'none')).toBe('No blocks.')
    expect(await millrace('block', 'ls', '--type', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block type "none" not found. \`millrace block type ls\` shows what there is."
    `)
  })

  test('prints the objects of the API as JSON', async () => {
    const { body } = await server.app.call('POST', '/block_documents/filter', { sort: 'BLOCK_TYPE_AND_NAME_ASC' })
    expect(await server.json('block', 'ls')).toEqual(body)
  })
})

describe('block inspect', () => {
  test('shows the fields with masked secrets', async () => {
    expect(await millrace('block', 'inspect', 'warehouse/main')).toMatchInlineSnapshot(`
      "TYPE            warehouse
      NAME            main
      SCHEMA VERSION  2
      CREATED         <time>
      UPDATED         <time>
      ID              <id>

      Fields
      host: "10"
      port: 6000
      password: "********"
      options:
        ssl: true
      any: text"
    `)
  })

  test('finds by id and by a unique name', async () => {
    const { id } = await server.json('block', 'inspect', 'main')
    expect(await server.json('block', 'inspect', id)).toMatchObject({ name: 'main' })
  })

  test('ends with exit code 26 for a name of several types, and 25 for none', async () => {
    await server.json('block', 'create', '-t', 'secret', '-n', 'main', '-f', 'value=1')
    expect(await millrace('block', 'inspect', 'main')).toMatchInlineSnapshot(`
      "exit code 26
      Error: Block "main" is ambiguous. Name the type:
        secret/main
        warehouse/main"
    `)
    expect(await millrace('block', 'inspect', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block "none" not found. \`millrace block ls\` shows what there is."
    `)
    expect(await millrace('block', 'inspect', 'secret/')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block "secret/" not found. \`millrace block ls\` shows what there is."
    `)
  })
})

describe('block update', () => {
  test('merges fields, or replaces all', async () => {
    expect(await millrace('block', 'update', 'warehouse/main', '--field', 'port=7000')).toBe('Changed block "warehouse/main".')
    expect((await server.json('block', 'inspect', 'warehouse/main', '--show-secrets')).data).toMatchObject({ port: 7000, password: '123' })
    await server.json('block', 'update', 'warehouse/main', '--replace', '-f', 'host=b', '-f', 'password=c')
    expect((await server.json('block', 'inspect', 'warehouse/main', '--show-secrets')).data).toEqual({ host: 'b', password: 'c' })
  })

  test('rejects what it cannot change', async () => {
    expect(await millrace('block', 'update', 'warehouse/main')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Nothing to change. Give --field or --file."
    `)
    expect(await millrace('block', 'update', 'warehouse/main', '-f', 'hots=a')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Block type "warehouse" has no field "hots". Fields: host, port, mode, password, options, any."
    `)
    expect(await millrace('block', 'update', 'warehouse/main', '--replace', '-f', 'host=a')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Missing field of block type "warehouse": password. Give --field NAME=VALUE."
    `)
    expect(await millrace('block', 'update', 'warehouse/none', '-f', 'host=a')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block "warehouse/none" not found. \`millrace block ls\` shows what there is."
    `)
  })
})

describe('block delete', () => {
  test('needs --yes without a terminal', async () => {
    expect(await millrace('block', 'delete', 'secret/api-key')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete block "secret/api-key"? Blocks and deployments that reference it lose the reference. Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('block', 'delete', 'secret/api-key', '--yes')).toBe('Deleted block "secret/api-key".')
    expect(await server.json('block', 'delete', 'secret/json', '-y')).toMatchObject({ name: 'json' })
  })
})

describe('block type', () => {
  test('ls shows slugs and descriptions', async () => {
    expect(await millrace('block', 'type', 'ls', '--name', 'warehouse')).toMatchInlineSnapshot(`
      "SLUG                NAME                DESCRIPTION
      bigquery-warehouse  BigQuery Warehouse  Queries BigQuery.
      warehouse           Warehouse           A database for reports"
    `)
    expect(await millrace('block', 'type', 'ls', '--name', 'warehouse', '-o', 'wide')).toMatchInlineSnapshot(`
      "SLUG                NAME                DESCRIPTION             PROTECTED  ID
      bigquery-warehouse  BigQuery Warehouse  Queries BigQuery.       no         <id>
      warehouse           Warehouse           A database for reports  no         <id>"
    `)
    expect((await server.json('block', 'type', 'ls')).length).toBeGreaterThan(30)
  })

  test('ls fits a narrow terminal', async () => {
    expect(screen(await runCli(['--server', server.url, 'block', 'type', 'ls', '--name', 'slack'], { columns: 70 }))).toMatchInlineSnapshot(`
      "SLUG               NAME               DESCRIPTION
      slack-credentials  Slack Credentials  Credentials for Slack.
      slack-webhook      Slack Webhook      Writes notifications to a Slack…"
    `)
  })

  test('inspect shows the fields', async () => {
    expect(await millrace('block', 'type', 'inspect', 'warehouse')).toMatchInlineSnapshot(`
      "SLUG           warehouse
      NAME           Warehouse
      DESCRIPTION    A database for reports
      PROTECTED      no
      DOCUMENTATION
      ID             <id>

      Fields
      FIELD     TYPE            REQUIRED  SECRET  DESCRIPTION
      host      string          yes       no      The host.
      port      integer         no        no      The port.
      mode      read|write      no        no
      password  string or null  yes       yes
      options   object          no        no      Options of the driver.
      any       any             no        no"
    `)
    expect(await millrace('block', 'type', 'inspect', 's3-bucket')).toMatchInlineSnapshot(`
      "SLUG           s3-bucket
      NAME           S3 Bucket
      DESCRIPTION    Stores files in a bucket on S3 or an S3-compatible service.
      PROTECTED      no
      DOCUMENTATION
      ID             <id>

      Fields
      FIELD          TYPE                                              REQUIRED  SECRET  DESCRIPTION
      bucket_name    string                                            yes       no      The name of the bucket.
      credentials    block minio-credentials or block aws-credentials  no        yes     The credentials to use.
      bucket_folder  string                                            no        no      The base folder in the bucket."
    `)
    expect(await server.json('block', 'type', 'inspect', 'warehouse')).toMatchObject({ slug: 'warehouse', is_protected: false })
    expect(await millrace('block', 'type', 'inspect', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Block type "none" not found. \`millrace block type ls\` shows what there is."
    `)
  })

  test('delete says how many blocks go, and keeps protected types', async () => {
    expect(await millrace('block', 'type', 'delete', 'warehouse')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete block type "warehouse" with 2 blocks? Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('block', 'type', 'delete', 'warehouse', '--yes')).toBe('Deleted block type "warehouse" with 2 blocks.')
    expect(await millrace('block', 'type', 'delete', 'secret', '--yes')).toMatchInlineSnapshot(`
      "exit code 1
      Error: Block type "secret" is protected and cannot be deleted."
    `)
    expect(await server.json('block', 'type', 'delete', 's3-bucket', '-y')).toMatchObject({ slug: 's3-bucket' })
    expect(await server.json('block', 'type', 'register-builtin')).toEqual({ message: 'Registered the built-in block types.' })
    expect(await server.json('block', 'type', 'inspect', 's3-bucket')).toMatchObject({ slug: 's3-bucket' })
  })
})
