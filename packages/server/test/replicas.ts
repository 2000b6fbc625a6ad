import { afterEach } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { startApp, type TestApp } from './setup.ts'

/** For a test file: starts servers that share a PostgreSQL database and nothing else. They are closed after each test. */
export function createReplicaFactory(): (count: number, env?: Record<string, string>) => Promise<{ apps: TestApp[]; url: string }> {
  const cleanups: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
  })
  return async (count, env = {}) => {
    const { url, drop } = await migratedPostgres()
    cleanups.push(drop)
    const apps: TestApp[] = []
    for (let n = 0; n < count; n += 1) {
      const app = await startApp(url, { env, seed: n + 1 })
      cleanups.push(() => app.close())
      apps.push(app)
    }
    return { apps, url }
  }
}
