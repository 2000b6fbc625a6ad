import { isIPv4 } from 'node:net'
import type { Config } from '../config.ts'

/** Whether only programs of this machine reach an address. A name other than localhost counts as reachable: it may mean any address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || name.endsWith('.localhost') || /^(?:0*:)*:?0*1$/.test(name)) return true
  const ipv4 = name.replace(/^::ffff:/, '')
  return isIPv4(ipv4) && ipv4.startsWith('127.')
}

/** Whether other machines can use the server without a password. */
export const isOpenToNetwork = ({ server }: Config): boolean => server.api.enabled && !server.api.auth_string && !isLoopback(server.host)

/** Why the server must not start: anybody on the network could run code through it, and nobody said that this is wanted. */
export function exposureProblem(config: Config): string | undefined {
  if (!isOpenToNetwork(config) || config.server.allow_anonymous) return undefined
  return `Other machines can reach ${config.server.host} and no password is set. Set MILLRACE_SERVER_API_AUTH_STRING=user:password, or start with --allow-anonymous to let everybody in.`
}

/** A line for the log of a server that was started all the same. */
export const exposureWarnings = (config: Config): string[] =>
  isOpenToNetwork(config)
    ? [
        `Everybody who reaches ${config.server.host}:${config.server.port} may read and change everything: no password is set (MILLRACE_SERVER_API_AUTH_STRING)`,
      ]
    : []
