import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const pollOptions = { timeout: 30_000 }

test('services of one replica serve two others that have none', { timeout: 60_000 }, async () => {
  const { url, drop } = await migratedPostgres()
  onTestFinished(drop)
  const start = async (flag: string): Promise<ServerProcess> => {
    const server = await startServerProcess(url, [flag], { MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '0.5' })
    onTestFinished(() => void server.child.kill('SIGKILL'))
    return server
  }
  const [one, two] = await Promise.all([start('--no-services'), start('--no-services')])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  const countRuns = async (): Promise<number> => (await client.query('select count(*)::int as count from flow_run')).rows[0].count

  const flow = await one.post('/flows/', { name: 'f' })
  const schedules = [{ schedule: { interval: 3600, anchor_date: '2020-01-01T00:00:00Z' } }]
  await two.post('/deployments/', { name: 'd', flow_id: flow.id, schedules })
  expect(await countRuns()).toBe(0)

  const services = await start('--services-only')
  expect(services.url).toBe('')
  await expect.poll(countRuns, pollOptions).toBeGreaterThan(0)
  expect(await services.kill('SIGTERM')).toBe(0)
  expect((await one.post('/flow_runs/filter', {})).length).toBeGreaterThan(0)
})
