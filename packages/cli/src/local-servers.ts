import { homedir } from 'node:os'
import { type RunFile, readRunFiles } from '@millrace/server/lib/run-file.ts'
import type { Cli } from './cli.ts'
import { defaultUrl } from './connection.ts'
import { CommandError } from './errors.ts'
import type { Io } from './io.ts'

/** The servers of this user on this machine. */
export const listLocalServers = ({ env }: Io): RunFile[] => readRunFiles(env.HOME || homedir())

export const portOf = ({ url }: Pick<RunFile, 'url'>): string | null => (url === null ? null : new URL(url).port)

/** The server on a port, or the only one. Throws if there are several; returns undefined if there is none. */
export function onlyLocalServer(io: Io, port: number | undefined): RunFile | undefined {
  const servers = listLocalServers(io)
  if (port !== undefined) return servers.find((server) => portOf(server) === String(port))
  if (servers.length <= 1) return servers[0]
  const shown = servers.map(({ url, pid }) => `  ${url ?? 'background services'} (process ${pid})`)
  throw new CommandError(`Several servers run on this machine. Choose one with --port:\n${shown.join('\n')}`, 'ambiguous')
}

export interface ServerTarget {
  /** URL of the API; null for a process without API. */
  readonly api: string | null
  /** The process, if it runs on this machine. */
  readonly local: RunFile | undefined
}

/** The server that `server status` describes: that of --port, --server, the environment or a profile, else the only one on this machine. */
export function findServer({ io, connection }: Cli, port: number | undefined): ServerTarget {
  if (port !== undefined) {
    const local = onlyLocalServer(io, port)
    return { api: local ? apiOf(local) : `http://127.0.0.1:${port}/api`, local }
  }
  if (connection.source !== 'default') return { api: connection.url, local: listLocalServers(io).find((server) => apiOf(server) === connection.url) }
  const atDefault = listLocalServers(io).find((server) => apiOf(server) === defaultUrl)
  const local = atDefault ?? onlyLocalServer(io, undefined)
  return { api: local ? apiOf(local) : connection.url, local }
}

/** `0.0.0.0` and `::` are addresses to listen on, not to connect to. */
const apiOf = ({ url }: RunFile): string | null =>
  url === null ? null : `${url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:').replace(/\/+$/, '')}/api`
