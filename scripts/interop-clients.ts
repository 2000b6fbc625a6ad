import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A version of the Python client that is tried. */
export interface Client {
  readonly version: string
  /** Old clients were not made for packages newer than this day. */
  readonly before?: string
  /** Packages it needs in other versions than it says. */
  readonly with?: readonly string[]
  /** Packages whose version it asks for too strictly. */
  readonly loosened?: readonly string[]
}

export const readClients = (file: string): Client[] => JSON.parse(readFileSync(file, 'utf8')) as Client[]

/** Installs a client once, into a folder of its own under the cache; gives the folder of its commands. */
export async function installClient(client: Client, cache: string): Promise<string> {
  const folder = join(cache, `client-${client.version}`)
  const stamp = join(folder, 'installed.json')
  const wanted = JSON.stringify(client)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return join(folder, 'bin')
  rmSync(folder, { recursive: true, force: true })
  const uv = await installUv(cache)
  const loosened = join(cache, `loosened-${client.version}.txt`)
  writeFileSync(loosened, (client.loosened ?? []).join('\n'))
  await run(uv, ['venv', '--quiet', folder])
  await run(
    uv,
    [
      // Scenarios write no bytecode: without it every process of theirs would compile the whole client first, for many seconds.
      ...['pip', 'install', '--quiet', '--compile-bytecode', `prefect==${client.version}`, ...(client.with ?? [])],
      ...(client.before ? ['--exclude-newer', client.before] : []),
      ...['--override', loosened],
    ],
    { env: { ...process.env, VIRTUAL_ENV: folder } },
  )
  writeFileSync(stamp, wanted)
  return join(folder, 'bin')
}

/** pip cannot leave out what is newer than a day; uv, which pip installs, can. */
async function installUv(cache: string): Promise<string> {
  const folder = join(cache, 'uv')
  const uv = join(folder, 'bin', 'uv')
  if (existsSync(uv)) return uv
  mkdirSync(cache, { recursive: true })
  await run('python3', ['-m', 'venv', '--clear', folder]).catch((error) => {
    throw new Error(`interop needs Python 3.10 or newer with venv and pip as python3 on the path: ${error.message}`)
  })
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', 'uv'])
  return uv
}
