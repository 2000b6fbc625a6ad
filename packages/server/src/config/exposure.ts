import { isIPv4 } from 'node:net'
import type { Config } from '../config.ts'

/** Whether only this machine can reach an address. Any name other than localhost may resolve to a public address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || name.endsWith('.localhost') || /^(?:0*:)*:?0*1$/.test(name)) return true
  const ipv4 = name.replace(/^::ffff:/, '')
  return isIPv4(ipv4) && ipv4.startsWith('127.')
}

/** Whether other machines can use the server without a password. */
export const isOpenToNetwork = ({ server }: Config): boolean => server.api.enabled && !server.api.auth_string && !isLoopback(server.host)

/** Rejects a start without a password on a public address: everyone on the network could run code through the server. */
export function exposureProblem(config: Config): string | undefined {
  if (!isOpenToNetwork(config) || config.server.allow_anonymous) return undefined
  return `Other machines can reach ${config.server.host} and no password is set. Set MILLRACE_SERVER_API_AUTH_STRING=user:password, or start with --allow-anonymous to allow access without a password.`
}

/** Warns at start-up if `--allow-anonymous` opens the server to the network. */
export const exposureWarnings = (config: Config): string[] =>
  isOpenToNetwork(config)
    ? [
        `No password is set (MILLRACE_SERVER_API_AUTH_STRING). Everyone who can reach ${config.server.host}:${config.server.port} can read and change all data.`,
      ]
    : []
