import { Health, Hello, Ready, ServerSettings, ServerVersion } from '@millrace/contracts/admin.ts'
import { isOpenToNetwork } from '../../config/exposure.ts'
import { describeConfig } from '../../config.ts'
import { notReady } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { afterSeconds, type Clock } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { apiVersion, compatibleVersion, version } from '../../version.ts'
import { readiness } from './readiness.ts'

const isReadOnly = statement((dialect) => dialect.readOnlyQuery)

/** Load balancers ask every few seconds and give up about as soon. */
const readySecondsMax = 2

/** Is it there, which version is it, how is it set. */
export function rootRoutes(context: ServerContext): Route[] {
  return [
    route({ method: 'GET', path: '/health', tag: 'Root', summary: 'Is the process there', scope: 'public', responses: { 200: Health } }, () => true),
    route(
      { method: 'GET', path: '/ready', tag: 'Root', summary: 'Do reads and writes reach the database', scope: 'public', responses: { 200: Ready } },
      async () => {
        readiness(context).check()
        const why = await findReadinessProblem(context)
        if (why !== undefined) throw notReady(why)
        return { message: 'OK' }
      },
    ),
    route({ method: 'GET', path: '/hello', tag: 'Root', summary: 'Say hello', scope: 'server:read', responses: { 200: Hello } }, () => '👋'),
    route(
      { method: 'GET', path: '/version', tag: 'Root', summary: 'The version of the API', scope: 'server:read', responses: { 200: ServerVersion } },
      () => apiVersion,
    ),
  ]
}

export function adminRoutes({ config, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/admin/version',
        tag: 'Admin',
        summary: 'The version that clients compare their own with',
        scope: 'server:read',
        responses: { 200: ServerVersion },
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
        responses: { 200: ServerSettings },
      },
      () => ({
        version,
        open_to_network: isOpenToNetwork(config),
        clock: describeClock(clock),
        settings: nestSettings(describeConfig({ config, sources: new Map() })),
      }),
    ),
  ]
}

/** Whose clock the server uses, and how many seconds this machine's clock is ahead of it. */
const describeClock = (clock: Clock) => ({ source: clock.skewSeconds ? 'database' : 'machine', skew_seconds: clock.skewSeconds?.() ?? 0 })

/** Why the server cannot do its work; undefined when it can. */
async function findReadinessProblem({ reads, writeQueue }: ServerContext): Promise<string | undefined> {
  let disarm = () => {}
  const late = new Promise<string>((resolve) => {
    disarm = afterSeconds(readySecondsMax, () => resolve(`no answer within ${readySecondsMax} seconds`))
  })
  const asked = reads.first<{ read_only: number }>(isReadOnly).then(
    (row) => (row?.read_only === 1 ? 'it is read-only' : undefined),
    // Whoever asks shows no credentials: hosts and accounts are for the log.
    () => 'no connection can be made',
  )
  const why = await Promise.race([asked, late])
  disarm()
  return why ?? writeQueue.stallReason()
}

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
