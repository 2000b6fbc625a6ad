import { Health, Hello, Ready, ServerSettings, ServerVersion } from '@millrace/contracts/admin.ts'
import { isOpenToNetwork } from '../../config/exposure.ts'
import { describeConfig } from '../../config.ts'
import { notReady } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Clock } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { apiVersion, compatibleVersion, version } from '../../version.ts'
import { readinessOf } from './readiness.ts'

const answers = statement('select 1 as one')

/** Is it there, which version is it, how is it set. */
export function rootRoutes(parts: Parts): Route[] {
  const { reads } = parts
  return [
    route({ method: 'GET', path: '/health', tag: 'Root', summary: 'Is the process there', scope: 'public', answers: { 200: Health } }, () => true),
    route(
      { method: 'GET', path: '/ready', tag: 'Root', summary: 'Is the database reachable', scope: 'public', answers: { 200: Ready } },
      async () => {
        readinessOf(parts).check()
        try {
          await reads.first(answers)
          return { message: 'OK' }
        } catch (error) {
          throw notReady(error)
        }
      },
    ),
    route({ method: 'GET', path: '/hello', tag: 'Root', summary: 'Say hello', scope: 'server:read', answers: { 200: Hello } }, () => '👋'),
    route(
      { method: 'GET', path: '/version', tag: 'Root', summary: 'The version of the API', scope: 'server:read', answers: { 200: ServerVersion } },
      () => apiVersion,
    ),
  ]
}

export function adminRoutes({ config, clock }: Parts): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/admin/version',
        tag: 'Admin',
        summary: 'The version that clients compare their own with',
        scope: 'server:read',
        answers: { 200: ServerVersion },
      },
      () => compatibleVersion,
    ),
    route(
      {
        method: 'GET',
        path: '/admin/settings',
        tag: 'Admin',
        summary: 'The settings of the server; secrets are hidden',
        scope: 'server:read',
        answers: { 200: ServerSettings },
      },
      () => ({
        version,
        open_to_network: isOpenToNetwork(config),
        clock: clockFacts(clock),
        settings: nested(describeConfig({ config, sources: new Map() })),
      }),
    ),
  ]
}

/** Whose clock the server uses, and how many seconds this machine's clock is ahead of it. */
const clockFacts = (clock: Clock) => ({ source: clock.skewSeconds ? 'database' : 'machine', skew_seconds: clock.skewSeconds?.() ?? 0 })

/** `server.port` becomes `{ server: { port } }`. */
function nested(settings: ReturnType<typeof describeConfig>): Record<string, unknown> {
  const tree: Record<string, unknown> = {}
  for (const { place: path, value } of settings) {
    const keys = path.split('.')
    const last = keys.pop() as string
    let branch = tree
    for (const key of keys) {
      branch[key] ??= {}
      branch = branch[key] as Record<string, unknown>
    }
    branch[last] = value
  }
  return tree
}
