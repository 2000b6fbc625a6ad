import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { statement } from '../storage/database.ts'
import { flowRunOrder } from './flow-runs/filter.ts'
import { taskRunOrder } from './task-runs/filter.ts'

const scheduled = (time: string) => ({ type: 'SCHEDULED', state_details: { scheduled_time: time } })

eachDialect('sorting by a nullable column', (setup, dialect) => {
  async function names(app: TestApp, path: string, sort: string): Promise<string[]> {
    return (await app.call('POST', path, { sort })).body.map(({ name }: { name: string }) => name)
  }

  test('lists flow runs and task runs without a value last', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const flowRun = async (name: string, state: object) => (await app.call('POST', '/flow_runs/', { flow_id, name, state })).body.id
    const flow_run_id = await flowRun('running', { type: 'RUNNING' })
    await flowRun('ended first', { type: 'COMPLETED' })
    await flowRun('due later', scheduled('2030-01-03T00:00:00Z'))
    await flowRun('ended last', { type: 'FAILED' })
    await flowRun('due first', scheduled('2030-01-02T00:00:00Z'))
    for (const [name, state] of [
      ['running', { type: 'RUNNING' }],
      ['ended first', { type: 'COMPLETED' }],
      ['due later', scheduled('2030-01-03T00:00:00Z')],
      ['ended last', { type: 'FAILED' }],
      ['due first', scheduled('2030-01-02T00:00:00Z')],
    ])
      await app.call('POST', '/task_runs/', { flow_run_id, task_key: 'k', dynamic_key: name, name, state })
    for (const path of ['/flow_runs/filter', '/task_runs/filter']) {
      expect((await names(app, path, 'END_TIME_DESC')).slice(0, 2)).toEqual(['ended last', 'ended first'])
      expect((await names(app, path, 'NEXT_SCHEDULED_START_TIME_ASC')).slice(0, 2)).toEqual(['due first', 'due later'])
    }
  })

  test('uses the index of the end time', async () => {
    const app = await setup()
    const plan = (table: string, order: RawBuilder<unknown>): Promise<string> =>
      app.context.commands.submit(async (tx) => {
        // With empty tables PostgreSQL prefers a sort.
        if (dialect === 'postgres') await tx.run(statement('set local enable_sort = off'))
        const explain = dialect === 'sqlite' ? sql`explain query plan` : sql`explain`
        return JSON.stringify((await sql`${explain} select id from ${sql.table(table)} order by ${order} limit 200`.execute(tx.kysely)).rows)
      })
    for (const [table, order] of [
      ['flow_run', flowRunOrder.END_TIME_DESC],
      ['task_run', taskRunOrder.END_TIME_DESC],
    ] as const) {
      const found = await plan(table, order)
      expect(found).toContain(`${table}_by_end`)
      expect(found).not.toMatch(/sort|temp b-tree/i)
    }
  })
})
