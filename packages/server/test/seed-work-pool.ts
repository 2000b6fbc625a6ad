import { sql } from 'kysely'
import { formatTime } from '../src/lib/time.ts'
import type { TestApp } from './setup.ts'

interface SeededWorkPool {
  readonly app: TestApp
  /** Deployments by queue name. */
  readonly deployments: Record<string, string>
  scheduleRun(queue: string, name: string, inSeconds: number): Promise<string>
  poll(body?: object): Promise<string[]>
}

/** Creates a pool with queues and one deployment each, with functions to add runs and to poll. */
export async function seedWorkPool(app: TestApp, queues: readonly string[] = ['default'], pool: object = {}): Promise<SeededWorkPool> {
  await app.call('POST', '/work_pools/', { name: 'mill', type: 'process', ...pool })
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const deployments: Record<string, string> = {}
  for (const queue of queues) {
    deployments[queue] = (
      await app.call('POST', '/deployments/', { name: `of ${queue}`, flow_id: flow, work_pool_name: 'mill', work_queue_name: queue })
    ).body.id
  }
  return {
    app,
    deployments,
    async scheduleRun(queue, name, inSeconds) {
      const scheduled_time = formatTime(app.clock.now() + inSeconds * 1_000_000)
      const made = await app.call('POST', `/deployments/${deployments[queue]}/create_flow_run`, {
        name,
        state: { type: 'SCHEDULED', state_details: { scheduled_time } },
      })
      return made.body.id
    },
    async poll(body = {}) {
      const { body: answer } = await app.call('POST', '/work_pools/mill/get_scheduled_flow_runs', body)
      return answer.map((item: { flow_run: { name: string } }) => item.flow_run.name)
    },
  }
}

export const forceState = (app: TestApp, run: string, type: string) =>
  app.call('POST', `/flow_runs/${run}/set_state`, { state: { type }, force: true })

/** A value that changes with each write: SQLite counts commits of other connections, PostgreSQL marks each row version. */
export async function readDataVersion(app: TestApp, dialect: string): Promise<unknown> {
  const { reads, longReads } = app.context
  // Not on `reads`, which may use the connection of the writer.
  if (dialect === 'sqlite') return (await sql`pragma data_version`.execute(longReads.kysely)).rows
  const marks = ['work_pool', 'work_queue', 'deployment', 'flow_run', 'event', 'worker'].map(
    (table) => sql`select ${table} as source, xmin::text as version from ${sql.table(table)}`,
  )
  return (await sql`${sql.join(marks, sql` union all `)} order by 1, 2`.execute(reads.kysely)).rows
}
