import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../packages/server/src/version.ts'
import { repositoryRoot } from '../repository.ts'
import { type BuiltPackage, buildPackage } from './package.ts'
import { compileConsumer } from './package-consumer.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'millrace-installed-'))
/** A project with the package, below a home directory that was empty. */
const home = join(folder, 'home')
const project = join(home, 'project')
const installed = join(project, 'node_modules/millrace')
const nodePackage = `node-${process.platform}-${process.arch}`

/** The PATH of a user: without the Node 24 of this repository, which npm puts first. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter)
const env = { PATH: path, HOME: home, MILLRACE_SERVER_PORT: '0', npm_config_update_notifier: 'false' }

let built: BuiltPackage

const site = join(folder, 'site')

beforeAll(async () => {
  mkdirSync(site)
  for (const name of ['index.html', '404.html']) writeFileSync(join(site, name), `<title>${name}</title>`)
  built = await buildPackage(join(folder, 'out'), { site })
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', built.tarball], { cwd: project, env })
  // The Node that npm would install, without the network. Not in `.bin`, so that the launcher has to find it.
  symlinkSync(join(repositoryRoot, 'node_modules', nodePackage), join(project, 'node_modules', nodePackage))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readJson = (file: string) => JSON.parse(readFileSync(join(installed, file), 'utf8'))
const listFiles = (): string[] =>
  readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))

describe('the tarball', () => {
  test('has the same bytes when it is built again', async () => {
    expect((await buildPackage(join(folder, 'again'), { site })).sha256).toBe(built.sha256)
  })

  test('needs no other package and runs no script at installation', () => {
    const { scripts, dependencies, devDependencies, optionalDependencies, private: isPrivate } = readJson('package.json')
    expect({ scripts, dependencies, devDependencies, isPrivate }).toEqual({})
    expect(Object.keys(optionalDependencies)).toContain(nodePackage)
    expect(Object.keys(optionalDependencies).filter((name) => !name.startsWith('node-'))).toEqual([])
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['millrace', nodePackage])
  })

  test('names neither this machine nor the packages of the repository', () => {
    const found = listFiles().filter((file) => {
      const content = readFileSync(join(installed, file), 'latin1')
      // The launcher imports the sources in the repository only.
      return content.includes(repositoryRoot) || (!file.startsWith('bin/') && /\b(?:from|import\() ?["']@millrace\//.test(content))
    })
    expect(found).toEqual([])
  })

  test('has the licences of all packages inside', () => {
    const notices = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.md'), 'utf8')
    const names = built.components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['commander', 'fastify', 'kysely', 'pg', 'react', 'swagger-ui-dist', 'typebox', 'yaml']))
    for (const { name, version, license } of built.components) expect(notices).toContain(`- ${name} ${version} (${license})\n`)
    expect(notices).toContain('Permission is hereby granted, free of charge')
  })

  test('stays small', () => {
    expect(built.tarballBytes).toBeLessThan(5e6)
  })
})

describe('the command', () => {
  test('prints its version', async () => {
    expect((await run('npx', ['millrace', '--version'], { cwd: project, env })).stdout).toBe(`${version}\n`)
  })

  test('starts the server with dashboard and API, and ends on SIGTERM', async () => {
    const server = start('node_modules/.bin/millrace', [])
    const url = await server.url()
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1]
    expect((await fetch(`${url}/${script}`)).status).toBe(200)
    expect(await (await fetch(`${url}/api/health`)).json()).toBe(true)
    expect((await fetch(`${url}/docs/assets/swagger-ui.css`)).status).toBe(200)
    expect(await (await fetch(`${url}/help`)).text()).toBe('<title>index.html</title>')
    // Validated on a worker thread, whose file is beside the bundle.
    const body = JSON.stringify({ schema: { properties: { a: { type: 'integer' } } }, values: { a: 'x' } })
    const checked = await fetch(`${url}/api/ui/schemas/validate`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(await checked.json()).toMatchObject({ valid: false })

    const millrace = async (...args: string[]) =>
      (await run('node_modules/.bin/millrace', args, { cwd: project, env: { ...env, MILLRACE_API_URL: `${url}/api` } })).stdout
    await millrace('variable', 'set', 'region', 'eu-west-1')
    expect(await millrace('variable', 'get', 'region')).toBe('eu-west-1\n')
    expect(JSON.parse(await millrace('flow-run', 'ls', '-o', 'json'))).toEqual([])
    expect(readdirSync(join(home, '.millrace'))).toContain('millrace.db')

    const ended = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    // Opens the database itself, with the migrations beside the bundles.
    expect(await millrace('retention', 'include-adopted')).not.toBe('')
    expect(server.output()).toBe(`Millrace ${version} is ready at ${url}\n`)
  })

  test('starts with npx and ends with it', async () => {
    const server = start('npx', ['millrace'])
    expect((await fetch(`${await server.url()}/api/health`)).status).toBe(200)
    // The pipe is closed when the last process that holds it ends.
    const closed = once(server.child, 'close')
    server.child.kill('SIGTERM')
    await closed
    expect(readdirSync(join(home, '.millrace'))).not.toContain('millrace.db-wal')
  })
})

const started = new Set<ChildProcess>()
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

function start(program: string, args: readonly string[]) {
  const child = spawn(program, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const url = async (): Promise<string> => {
    for (;;) {
      const found = /is ready at (\S+)/.exec(output)?.[1]
      if (found !== undefined) return found
      if (child.exitCode !== null) throw new Error(`The process ended with ${child.exitCode}: ${output}`)
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    }
  }
  return { child, url, output: () => output }
}

describe('the client', () => {
  const program = `new MillraceClient({ url: 'http://127.0.0.1:1/api', retry: { retries: 0 } }).flows.read('x').catch((error) => console.log(error.name, error instanceof MillraceError))`

  test('is loaded by import and by require', async () => {
    writeFileSync(join(project, 'use.mjs'), `import { MillraceClient, MillraceError } from 'millrace/client'\n${program}`)
    writeFileSync(join(project, 'use.cjs'), `const { MillraceClient, MillraceError } = require('millrace/client')\n${program}`)
    for (const file of ['use.mjs', 'use.cjs']) expect((await run('node', [file], { cwd: project, env })).stdout).toBe('ConnectionError true\n')
  })

  test('uses nothing of Node', () => {
    const text = readFileSync(join(installed, 'client/index.js'), 'utf8')
    expect(text).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/)
  })

  test.each([
    ['bundler', {}],
    ['nodenext', {}],
    ['nodenext', { lib: ['es2022'], types: [join(repositoryRoot, 'node_modules/@types/node')] }],
  ] as const)('has types for strict projects with module resolution %s and options %o', async (resolution, options) => {
    const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
    expect(await compileConsumer(project, tsc, resolution, options)).toBe('')
  })

  test('has types that need no other package', () => {
    const declarations = listFiles().filter((file) => file.endsWith('.d.ts'))
    const specifiers = declarations.flatMap((file) =>
      [...readFileSync(join(installed, file), 'utf8').matchAll(/\b(?:from |import\()['"]([^'"]+)/g)].map(([, specifier]) => specifier),
    )
    expect(specifiers.filter((specifier) => !/^\.\.?\/.*\.js$/.test(specifier as string))).toEqual([])
    expect(declarations).toContain('client/contracts.d.ts')
  })
})
