import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A tested version of the Python client. */
export interface Client {
  readonly version: string
  /** Newer packages than this date break old clients. */
  readonly before?: string
  /** Packages that need other versions than the client declares. */
  readonly with?: readonly string[]
  /** Packages whose declared version is too strict. */
  readonly loosened?: readonly string[]
}

export const readClients = (file: string): Client[] => JSON.parse(readFileSync(file, 'utf8')) as Client[]

/** Installs a client once into its own folder of the cache. Returns the bin folder. */
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
      // Compiles at installation, because scenarios write no bytecode: each of their processes would compile the client for many seconds.
      ...['pip', 'install', '--quiet', '--compile-bytecode', `prefect==${client.version}`, ...(client.with ?? [])],
      ...(client.before ? ['--exclude-newer', client.before] : []),
      ...['--override', loosened],
    ],
    { env: { ...process.env, VIRTUAL_ENV: folder } },
  )
  writeFileSync(stamp, wanted)
  return join(folder, 'bin')
}

/** uv can exclude packages newer than a date; pip cannot. */
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
