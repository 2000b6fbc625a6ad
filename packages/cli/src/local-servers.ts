import { homedir } from 'node:os'
import { isLoopback } from '@millrace/server/config/exposure.ts'
import { type RunFile, readRunFiles } from '@millrace/server/lib/run-file.ts'
import type { Cli } from './cli.ts'
import { CommandError } from './errors.ts'
import type { Io } from './io.ts'

/** The servers of this user on this machine. */
export const listLocalServers = ({ env }: Io): RunFile[] => readRunFiles(env.HOME || homedir())

const portOf = ({ url }: Pick<RunFile, 'url'>): string | null => (url === null ? null : new URL(url).port)

export interface ServerChoice {
  readonly port?: number
  readonly pid?: number
}

/** The chosen server, or the only one. Throws if there are several; returns undefined if there is none. */
export function onlyLocalServer(io: Io, { port, pid }: ServerChoice): RunFile | undefined {
  const servers = listLocalServers(io).filter(
    (server) => (port === undefined || portOf(server) === String(port)) && (pid === undefined || server.pid === pid),
  )
  if (servers.length <= 1) return servers[0]
  const shown = servers.map(({ url, pid }) => `  ${url ?? 'background services'} (process ${pid})`)
  throw new CommandError(`Several servers run on this machine. Choose one with --port or --pid:\n${shown.join('\n')}`, 'ambiguous')
}

export interface ServerTarget {
  /** URL of the API; null for a process without API. */
  readonly api: string | null
  /** The process, if it runs on this machine. */
  readonly local: RunFile | undefined
}

/** The server that `server status` describes: the chosen one, that of --server, the environment or a profile, else the only one on this machine. */
export function findServer({ io, connection }: Cli, choice: ServerChoice): ServerTarget {
  if (choice.port !== undefined || choice.pid !== undefined) {
    const local = onlyLocalServer(io, choice)
    if (!local && choice.port === undefined) throw new CommandError(`No server of this user has the process id ${choice.pid}.`, 'serverUnreachable')
    return { api: local ? apiOf(local) : `http://127.0.0.1:${choice.port}/api`, local }
  }
  const atConnection = listLocalServers(io).find(({ url }) => url !== null && isSameAddress(url, connection.url))
  const local = atConnection ?? (connection.source === 'default' ? onlyLocalServer(io, {}) : undefined)
  return { api: local && !atConnection ? apiOf(local) : connection.url, local }
}

/** Whether both addresses are the same port of this machine. */
function isSameAddress(url: string, other: string): boolean {
  const [a, b] = [new URL(connectableUrl(url)), new URL(other)]
  return a.port === b.port && isLoopback(a.hostname) && isLoopback(b.hostname)
}

/** `0.0.0.0` and `::` are addresses to listen on, not to connect to. */
const connectableUrl = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

const apiOf = ({ url }: RunFile): string | null => (url === null ? null : `${connectableUrl(url).replace(/\/+$/, '')}/api`)
