import { Health, Hello, Ready, ServerSettings, ServerVersion } from '@millrace/contracts/admin.ts'
import { isOpenToNetwork } from '../../config/exposure.ts'
import { describeConfig } from '../../config.ts'
import { notReady } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Clock } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { apiVersion, compatibleVersion, version } from '../../version.ts'
import { findReadinessProblem, readiness } from './readiness.ts'
import { scheduledBackups } from './scheduled-backups.ts'

export function rootRoutes(context: ServerContext): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/health',
        tag: 'Root',
        summary: 'Liveness check',
        description: 'Answers as long as the process serves requests, whatever the state of the database. For supervisors.',
        scope: 'public',
        kind: 'query',
        responses: { 200: Health },
      },
      () => true,
    ),
    route(
      {
        method: 'GET',
        path: '/ready',
        tag: 'Root',
        summary: 'Readiness check',
        description: 'Answers 503 while the database is unavailable or the server shuts down. For load balancers.',
        scope: 'public',
        kind: 'query',
        responses: { 200: Ready },
      },
      async () => {
        readiness(context).check()
        const problem = await findReadinessProblem(context)
        if (problem !== undefined) throw notReady(problem)
        return { message: 'OK' }
      },
    ),
    route(
      { method: 'GET', path: '/hello', tag: 'Root', summary: 'Say hello', scope: 'server:read', kind: 'query', responses: { 200: Hello } },
      () => '👋',
    ),
    route(
      {
        method: 'GET',
        path: '/version',
        tag: 'Root',
        summary: 'Read the API version',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: ServerVersion },
      },
      () => apiVersion,
    ),
  ]
}

export function adminRoutes(context: ServerContext): Route[] {
  const { config, clock, replicaStatus } = context
  return [
    route(
      {
        method: 'GET',
        path: '/admin/version',
        tag: 'Admin',
        summary: 'Read the version that clients compare with their own',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: ServerVersion },
      },
      () => compatibleVersion,
    ),
    route(
      {
        method: 'GET',
        path: '/admin/settings',
        tag: 'Admin',
        summary: 'Read the server settings, without secrets',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: ServerSettings },
      },
      () => ({
        version,
        open_to_network: isOpenToNetwork(config),
        clock: describeClock(clock),
        ...(replicaStatus ? { read_replica: replicaStatus() } : {}),
        ...(config.services.backup.schedule === '' ? {} : { backups: scheduledBackups(context).status() }),
        settings: nestSettings(describeConfig({ config, sources: new Map() })),
      }),
    ),
  ]
}

/** The clock that the server uses, and how many seconds the machine's clock is ahead of it. */
const describeClock = (clock: Clock) => ({ source: clock.skewSeconds ? 'database' : 'machine', skew_seconds: clock.skewSeconds?.() ?? 0 })

/** `server.port` becomes `{ server: { port } }`. */
function nestSettings(settings: ReturnType<typeof describeConfig>): Record<string, unknown> {
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
