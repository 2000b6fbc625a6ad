import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import { sharedPostgres } from './postgres/shared-postgres.ts'
import { startApp, type TestApp } from './setup.ts'

/** For a test file: makes servers that share a PostgreSQL database and nothing else. They end after each test. */
export function createReplicaFactory(): (count: number, env?: Record<string, string>) => Promise<{ apps: TestApp[]; url: string }> {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  return async (count, env = {}) => {
    const { url, drop } = await createEmptyDatabase()
    closing.push(drop)
    const apps: TestApp[] = []
    for (let n = 0; n < count; n += 1) {
      const app = await startApp(url, { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true', ...env }, seed: n + 1 })
      closing.push(() => app.close())
      apps.push(app)
    }
    return { apps, url }
  }
}

/** An empty database on the PostgreSQL of this test run. */
export async function createEmptyDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const cluster = await sharedPostgres()
  const name = `replicas_${randomUUID().replaceAll('-', '')}`
  return { url: await cluster.createDatabase(name), drop: () => cluster.dropDatabase(name) }
}
