import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'
import { toMicros } from '../../lib/time.ts'
import { all } from '../../storage/criteria.ts'
import { statement } from '../../storage/database.ts'
import { listFlowRuns } from './list-runs.ts'
import { readStartWindow } from './start-window.ts'

type Window = NonNullable<FlowRunFilter['expected_start_time']>

eachDialect('runs that were expected until a time, by start', (setup) => {
  const hour = (count: number) => toMicros(`2030-06-01T${String(count).padStart(2, '0')}:00:00Z`)

  /** The state, the expected start and the start of each run, in hours. */
  const runs: [string, string | null, string | null, number | null, number | null][] = [
    ['done in time', 'COMPLETED', 'Completed', 5, 5],
    ['done late', 'COMPLETED', 'Completed', 6, 14],
    ['started early', 'FAILED', 'Failed', 8, 2],
    ['running since noon', 'RUNNING', 'Running', 3, 13],
    ['pending', 'PENDING', 'Pending', 7, null],
    ['late', 'SCHEDULED', 'Late', 9, null],
    ['waits for a retry', 'SCHEDULED', 'AwaitingRetry', 4, 15],
    ['without a state', null, null, 10, null],
    ['without a state, started', null, null, 4, 16],
    ['planned', 'SCHEDULED', 'Scheduled', 20, null],
    ['started before it was expected', 'RUNNING', 'Running', 19, 11],
    ['old', 'COMPLETED', 'Completed', 0, 1],
    ['without expected start', 'COMPLETED', 'Completed', null, 6],
  ]

  async function start() {
    const app = await setup()
    const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
    const { commands, reads } = app.context
    for (const [name, state_type, state_name, expected, started] of runs) {
      const { body } = await app.call('POST', '/flow_runs/', { flow_id: flow.id, name })
      const times = { expected_start_time: expected === null ? null : hour(expected), start_time: started === null ? null : hour(started) }
      await commands.submit((tx) => tx.update('flow_run', [{ id: body.id, state_type, state_name, ...times }]))
    }
    const list = async (expected_start_time: Window, smallResultMax: number) =>
      (await listFlowRuns(reads, { flow_runs: { expected_start_time } }, { sort: 'START_TIME_DESC', limit: 200, offset: 0, smallResultMax })).map(
        ({ name }) => name,
      )
    return { app, reads, list }
  }

  const noon: Window = { before_: '2030-06-01T12:00:00Z' }
  const expected = (after: number) =>
    runs
      .filter(([, , , due]) => due !== null && due >= after && due <= 12)
      .toSorted(([, , , dueA, startA], [, , , dueB, startB]) => (startB ?? dueB ?? 0) - (startA ?? dueA ?? 0))
      .map(([name]) => name)

  test('are all there, in order, with and without the ranges', async () => {
    const { reads, list } = await start()
    expect((await readStartWindow(reads, noon, []))?.length).toBe(11)
    for (const smallResultMax of [0, 1000]) {
      expect(await list(noon, smallResultMax)).toEqual(expected(0))
      expect(await list({ ...noon, after_: '2030-06-01T03:30:00Z' }, smallResultMax)).toEqual(expected(3.5))
    }
    expect(expected(0)).toHaveLength(10)
  })

  test('include a run that starts after the ranges were chosen', async () => {
    const { app, reads, list } = await start()
    const late = ['late', 'pending', 'without a state']
    const ids = await reads.all<{ id: string; name: string }>(statement('select id, name from flow_run'))
    const ranges = await readStartWindow(reads, noon, [])
    for (const { id } of ids.filter((run) => late.includes(run.name)))
      await app.context.commands.submit((tx) =>
        tx.update('flow_run', [{ id, state_type: 'RUNNING', state_name: 'Running', start_time: hour(17), expected_start_time: hour(9) }]),
      )
    const found: string[] = []
    for (const { from, id, where, remaining } of ranges ?? [])
      found.push(
        ...(await sql<{ id: string }>`select ${id} as id from ${from} where ${all([where, ...remaining])}`.execute(reads.kysely)).rows.map(
          (row) => row.id,
        ),
      )
    expect(found.map((id) => ids.find((run) => run.id === id)?.name).toSorted()).toEqual(expected(0).toSorted())
    expect((await list(noon, 0)).slice(0, 3).toSorted()).toEqual(late)
  })

  test('need an upper bound', async () => {
    const { reads } = await start()
    expect(await readStartWindow(reads, { after_: '2030-06-01T03:30:00Z' }, [])).toBeUndefined()
  })
})
