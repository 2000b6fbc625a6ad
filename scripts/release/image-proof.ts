/**
 * Builds the container image and uses it: `npm run image:proof`. Needs root, Linux, and the Debian packages buildah and debootstrap; it runs no
 * container engine, so that it also works inside a container. The base images of the Dockerfile are made with debootstrap.
 *
 * Shows the size of the image, starts the server in it with `buildah run`, then once more on a read-only root file system, calls API, dashboard,
 * health check and command line, and stops it with SIGTERM.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { version } from '../../packages/server/src/version.ts'
import { freePort } from '../../packages/server/test/free-port.ts'
import { repositoryRoot } from '../repository.ts'

const { values } = parseArgs({ options: { suite: { type: 'string', default: 'bookworm' }, 'size-limit': { type: 'string', default: '200' } } })

const folder = mkdtempSync(join(tmpdir(), 'millrace-image-'))
const base = join(repositoryRoot, '.cache', `image-base-${values.suite}`)
const image = `localhost/millrace:${version}`
const certificates = '/etc/ssl/certs/ca-certificates.crt'
const password = 'admin:proof'
const authorization = `Basic ${btoa(password)}`

const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'], cwd: repositoryRoot }).trim()
const show = (text: string): void => console.log(text)

try {
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes root file systems.')
  makeBase()
  const baseImage = commitImage('localhost/proof-base', [])
  // npm and a Node that the repository supports, as in the official image of Node.
  const node = run('sh', ['-c', 'command -v node'])
  const npm = run('npm', ['root', '--global'])
  const buildImage = commitImage('localhost/proof-build', [
    [node, '/usr/local/bin/node'],
    [join(npm, 'npm'), '/usr/local/lib/node_modules/npm'],
    // The certificates that this machine trusts, which may include that of a mirror.
    [certificates, certificates],
  ])
  buildProduct(buildImage, baseImage)
  await prove()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A Debian without anything. The settings of apt are those of this machine, so that the build reaches the same mirror. */
function makeBase(): void {
  if (existsSync(join(base, 'etc/debian_version'))) return
  mkdirSync(base, { recursive: true })
  execFileSync('debootstrap', ['--variant=minbase', values.suite, base], { stdio: ['ignore', 'ignore', 'inherit'] })
  rmSync(join(base, 'etc/apt/sources.list'), { force: true })
  for (const name of ['sources.list', 'sources.list.d', 'apt.conf.d']) {
    if (existsSync(join('/etc/apt', name))) cpSync(join('/etc/apt', name), join(base, 'etc/apt', name), { recursive: true, force: true })
  }
}

function commitImage(name: string, files: readonly (readonly [from: string, to: string])[]): string {
  const container = run('buildah', ['from', 'scratch'])
  run('buildah', ['add', container, base, '/'])
  for (const [from, to] of files) run('buildah', ['add', container, from, to])
  if (files.length > 0) {
    const link =
      'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx'
    run('buildah', ['run', '--isolation', 'chroot', container, '--', 'sh', '-c', link])
    run('buildah', ['config', '--env', `NODE_EXTRA_CA_CERTS=${certificates}`, container])
  }
  run('buildah', ['commit', '--quiet', '--rm', container, name])
  return name
}

function buildProduct(buildImage: string, baseImage: string): void {
  const npmrc = join(homedir(), '.npmrc')
  const started = performance.now()
  const args = [
    ['bud', '--isolation', 'chroot', '--format', 'docker', '--quiet'],
    ['--build-arg', `BUILD_IMAGE=${buildImage}`, '--build-arg', `BASE_IMAGE=${baseImage}`],
    // Only for the build: the registry that this machine uses.
    existsSync(npmrc) ? ['--volume', `${npmrc}:/root/.npmrc:ro`] : [],
    ['--tag', image, '.'],
  ].flat()
  execFileSync('buildah', args, { cwd: repositoryRoot, stdio: ['ignore', 'inherit', 'inherit'] })
  show(`built ${image} in ${Math.round((performance.now() - started) / 1000)} s, ${run('buildah', ['images', '--format', '{{.Size}}', image])}`)
}

interface ImageConfig {
  readonly Env: readonly string[]
  readonly User: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

async function prove(): Promise<void> {
  const container = run('buildah', ['from', image])
  try {
    const root = run('buildah', ['mount', container])
    const kilobytes = Number(run('du', ['-sk', '--apparent-size', root]).split('\t')[0])
    show(`unpacked: ${(kilobytes / 1024).toFixed(1)} MiB`)
    if (kilobytes / 1024 > Number(values['size-limit'])) throw new Error(`The image is larger than ${values['size-limit']} MiB`)
    const { Docker } = JSON.parse(run('buildah', ['inspect', '--type', 'image', image])) as { Docker: { config: ImageConfig } }
    const { config } = Docker
    await proveRefusal(container, config)
    await proveServer('buildah run', config, (port) => ({
      command: 'buildah',
      args: [
        ['run', '--isolation', 'chroot', '--user', config.User],
        Object.entries(serverEnv(port)).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        [container, '--', ...config.Entrypoint, ...config.Cmd],
      ].flat(),
    }))
    for (const name of ['proc', 'dev']) mkdirSync(join(root, name), { recursive: true })
    await proveServer(
      'read-only root file system',
      config,
      (port, data) => readOnlyCommand(root, data, config, port, [...config.Entrypoint, ...config.Cmd]),
      (port, data) => {
        const inside = (words: readonly string[]) => {
          const { command, args } = readOnlyCommand(root, data, config, port, words)
          return execFileSync(command, args, { encoding: 'utf8' })
        }
        inside(config.Healthcheck.Test.slice(1))
        const listed = inside(['sh', '-c', `MILLRACE_API_AUTH_STRING=${password} millrace flow ls --server http://127.0.0.1:${port}`])
        if (!listed.includes('proof')) throw new Error(`millrace flow ls in the image: ${listed}`)
        if (!existsSync(join(data, 'millrace.db'))) throw new Error('No database in /data')
        show('health check and command line within the image: fine')
      },
    )
  } finally {
    run('buildah', ['umount', container])
    run('buildah', ['rm', container])
  }
}

function serverEnv(port: number): Record<string, string> {
  return { MILLRACE_SERVER_PORT: String(port), MILLRACE_SERVER_API_AUTH_STRING: password }
}

/** Without a password the server must not listen for other machines. */
async function proveRefusal(container: string, config: ImageConfig): Promise<void> {
  const child = spawn('buildah', ['run', '--isolation', 'chroot', '--user', config.User, container, '--', ...config.Entrypoint, ...config.Cmd], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (piece: Buffer) => (text += piece))
  await once(child, 'exit')
  if (!/no password is set/i.test(text)) throw new Error(`The server started without a password: ${text}`)
  show('without a password: refuses to start')
}

type MakeCommand = (port: number, data: string) => { readonly command: string; readonly args: readonly string[] }

/** Runs a command in the image as its user, with everything read-only but /data and /tmp. */
function readOnlyCommand(root: string, data: string, config: ImageConfig, port: number, words: readonly string[]): ReturnType<MakeCommand> {
  const mounts = [
    `mount --bind ${root} ${root}`,
    `mount -o remount,bind,ro ${root}`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount --bind ${data} ${root}/data`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t proc proc ${root}/proc`,
  ].join(' && ')
  const env = [...config.Env, ...Object.entries(serverEnv(port)).map(([name, value]) => `${name}=${value}`)]
  const argv = ['chroot', `--userspec=${config.User}`, root, '/usr/bin/env', '-i', ...env, ...words]
  return { command: 'unshare', args: ['--mount', 'sh', '-c', `${mounts} && exec "$@"`, 'sh', ...argv] }
}

async function proveServer(
  title: string,
  config: ImageConfig,
  make: MakeCommand,
  whileRunning: (port: number, data: string) => void = () => undefined,
): Promise<void> {
  const port = await freePort()
  const data = mkdtempSync(join(folder, 'data-'))
  const [uid = 0, gid = uid] = config.User.split(':').map(Number)
  chownSync(data, uid, gid)
  const { command, args } = make(port, data)
  const started = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await waitUntilReady(child, port)
    show(`${title}: ready after ${((performance.now() - started) / 1000).toFixed(2)} s`)
    await callServer(port)
    whileRunning(port, data)
    const stopped = performance.now()
    process.kill(listeningPid(port) as number, 'SIGTERM')
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${title}: exit code ${code} after SIGTERM`)
    show(`${title}: ended with exit code 0, ${((performance.now() - stopped) / 1000).toFixed(2)} s after SIGTERM`)
  } finally {
    child.kill('SIGKILL')
    const left = listeningPid(port)
    if (left !== undefined) process.kill(left, 'SIGKILL')
  }
}

async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server exited with code ${child.exitCode}`)
    const ready = await fetch(`http://127.0.0.1:${port}/api/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await wait(50)
  }
}

/** API with and without the password, dashboard, and the command line of this repository against the server in the image. */
async function callServer(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  const expectStatus = async (status: number, path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init)
    if (response.status !== status) throw new Error(`${path}: ${response.status} instead of ${status}`)
    return response.text()
  }
  await expectStatus(401, '/api/admin/version')
  const page = await expectStatus(200, '/', { headers: { accept: 'text/html' } })
  if (!page.includes('<div id="root">') && !page.includes('id="app"')) throw new Error('The dashboard is not served')
  const headers = { authorization, 'content-type': 'application/json' }
  await expectStatus(201, '/api/flows/', { method: 'POST', headers, body: JSON.stringify({ name: 'proof' }) })
  const bin = join(repositoryRoot, 'packages/millrace/bin/millrace.mjs')
  const listed = execFileSync(process.execPath, [bin, 'flow', 'ls', '-o', 'json', '--server', url], {
    encoding: 'utf8',
    env: { ...process.env, MILLRACE_API_AUTH_STRING: password },
  })
  if (JSON.parse(listed)[0]?.name !== 'proof') throw new Error(`millrace flow ls: ${listed}`)
}

/** The process that listens on the port: the child is buildah or unshare. */
function listeningPid(port: number): number | undefined {
  const pid = /pid=(\d+)/.exec(run('ss', ['-ltnpH', `sport = :${port}`]))?.[1]
  return pid === undefined ? undefined : Number(pid)
}
