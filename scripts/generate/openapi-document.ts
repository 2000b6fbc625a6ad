import { buildApp } from '../../packages/server/src/app.ts'
import { createRoutes, createSocketRoutes } from '../../packages/server/src/app-routes.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { buildOpenApiDocument } from '../../packages/server/src/http/openapi.ts'
import type { SocketRoute } from '../../packages/server/src/lib/socket.ts'
import { metricsRoutes } from '../../packages/server/src/metrics/routes.ts'

interface ApiDescription {
  readonly document: Record<string, unknown>
  readonly sockets: readonly SocketRoute[]
}

/** Describes the routes of the server, without starting it. */
export async function describeApi(): Promise<ApiDescription> {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:' }, [])
  const app = await buildApp({ config })
  try {
    const routes = [...createRoutes(app.context), ...metricsRoutes(app.context, app.metrics, app.otherProcesses.ask)]
    return { document: buildOpenApiDocument(routes), sockets: createSocketRoutes(app.context) }
  } finally {
    await app.close()
  }
}
