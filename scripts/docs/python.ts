import { execFileSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { installClient, readClients } from '../interop-clients.ts'
import { repositoryRoot } from '../repository.ts'

/** The folder of a Python with the client: that of `given`, or one in the cache, installed if it is `needed`. */
export async function findPython(given: string | undefined, needed: boolean): Promise<string> {
  if (given !== undefined) {
    const python = resolve(given)
    execFileSync(python, ['-c', 'import prefect'], { stdio: ['ignore', 'ignore', 'inherit'] })
    return dirname(python)
  }
  const client = readClients(join(repositoryRoot, 'interop', 'clients.json')).at(-1)
  if (client === undefined) throw new Error('interop/clients.json is empty')
  return needed ? installClient(client, join(repositoryRoot, '.cache', 'interop')) : ''
}
