import { buildApp } from '../packages/server/src/app.ts'
import { createRoutes } from '../packages/server/src/app-routes.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { buildOpenApiDocument } from '../packages/server/src/http/openapi.ts'
import { metricsRoutes } from '../packages/server/src/metrics/routes.ts'

/** Generates docs/openapi.json from the routes, so that each change of the API shows up as a change of this file. */
export async function openApiText(): Promise<string> {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:' }, [])
  const app = await buildApp({ config })
  try {
    return `${JSON.stringify(buildOpenApiDocument([...createRoutes(app.context), ...metricsRoutes(app.context, app.metrics, app.otherProcesses.ask)]), null, 2)}\n`
  } finally {
    await app.close()
  }
}
