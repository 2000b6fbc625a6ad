import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { seededRandom } from '../lib/random.ts'
import { formatTime, MICROS_PER_SECOND, toMicros } from '../lib/time.ts'

const start = toMicros('2030-01-01T00:00:00Z')
const hour = 3600 * MICROS_PER_SECOND

interface PastRun {
  readonly state: string
  readonly name: string
  readonly expected: number
  readonly started: number | null
  readonly since: number
  readonly total: number
}

/** Inserts finished runs directly: creating them through the API with a moving clock would take too long. */
async function insertRuns(app: TestApp, runs: readonly PastRun[], tags = '[]'): Promise<void> {
  const { newId, commands } = app.context
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  const rows = runs.map((run) => ({
    ...{
      id: newId(),
      created: start,
      updated: start,
      flow_id: flow,
      name: 'a run',
      parameters: '{}',
      context: '{}',
      empirical_policy: '{}',
      tags,
      labels: '{}',
    },
    ...{
      auto_scheduled: false,
      job_variables: '{}',
      run_count: 1,
      expected_start_time: run.expected,
      start_time: run.started,
      total_run_time: run.total,
    },
    ...{ state_id: newId(), state_type: run.state, state_name: run.name, state_timestamp: run.since, state_details: '{}' },
  }))
  await commands.submit((tx) => tx.insert('flow_run', rows))
}

const states = ['SCHEDULED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED']

function randomPastRuns(seed: number, count: number, nameOf: (state: string, n: number) => string): PastRun[] {
  const random = seededRandom(seed)
  const upTo = (max: number) => Math.floor(random.next() * max)
  return Array.from({ length: count }, (_, n) => {
    const state = states[upTo(states.length)] as string
    const expected = start + upTo(12) * hour + (upTo(3) === 0 ? 0 : upTo(hour))
    const started = upTo(3) === 0 ? null : expected - hour + upTo(2 * hour)
    return { state, name: nameOf(state, n), expected, started, since: expected + upTo(hour), total: upTo(5 * hour) }
  })
}

/** The expected counts, by a simple loop. */
function expectedBucket(runs: readonly PastRun[], from: number, interval: number, place: number, now: number) {
  const within = runs.filter(({ expected }) => Math.floor((expected - from) / interval) === place)
  const groups = Map.groupBy(within, ({ state, name }) => `${state} ${name}`)
  return [...groups.values()].map((group) => ({
    state_type: group[0]!.state,
    state_name: group[0]!.name,
    count_runs: group.length,
    sum_estimated_run_time: sum(group.map((run) => run.total + (run.state === 'RUNNING' ? Math.max(0, now - run.since) : 0))),
    sum_estimated_lateness: sum(group.map((run) => lateness(run, now))),
  }))
}

const sum = (micros: number[]) => micros.reduce((a, b) => a + b, 0) / MICROS_PER_SECOND

function lateness({ state, expected, started }: PastRun, now: number): number {
  if (started !== null) return Math.max(0, started - expected)
  return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(state) ? 0 : Math.max(0, now - expected)
}

interface Answer {
  interval_start: string
  interval_end: string
  states: ReturnType<typeof expectedBucket>
}

function expectSame(answer: Answer[], runs: readonly PastRun[], from: number, interval: number, now: number): void {
  answer.forEach((part, place) => {
    expect(part.interval_start).toBe(formatTime(from + place * interval))
    expect(part.interval_end).toBe(formatTime(from + (place + 1) * interval))
    const expected = expectedBucket(runs, from, interval, place, now).sort((a, b) =>
      `${a.state_type} ${a.state_name}` < `${b.state_type} ${b.state_name}` ? -1 : 1,
    )
    expect(part.states.map(({ state_type, state_name, count_runs }) => [state_type, state_name, count_runs])).toEqual(
      expected.map(({ state_type, state_name, count_runs }) => [state_type, state_name, count_runs]),
    )
    part.states.forEach((state, index) => {
      expect(state.sum_estimated_run_time).toBeCloseTo(expected[index]!.sum_estimated_run_time, 1)
      expect(state.sum_estimated_lateness).toBeCloseTo(expected[index]!.sum_estimated_lateness, 1)
    })
  })
}

eachDialect('POST /flow_runs/history', (setup) => {
  const readHistory = async (app: TestApp, body: object) => (await app.call('POST', '/flow_runs/history', body)).body as Answer[]
  const halfDay = { history_start: formatTime(start), history_end: formatTime(start + 12 * hour), history_interval_seconds: 5400 }

  test.each([
    ['with a few names', (state: string, n: number) => (n % 3 === 0 ? state.toLowerCase() : state)],
    ['with more names than are looked up one by one', (state: string, n: number) => `${state} ${n % 30}`],
  ])('counts states %s like a simple loop', async (_name, nameOf) => {
    const app = await setup()
    const runs = randomPastRuns(7, 400, nameOf)
    await insertRuns(app, runs)
    app.clock.set(start + 8 * hour)
    expectSame(await readHistory(app, halfDay), runs, start, 1.5 * hour, start + 8 * hour)
    const later = start + 5 * hour + 1
    const shifted = { history_start: formatTime(later), history_end: formatTime(later + 2 * hour), history_interval_seconds: 1234.5 }
    const answer = await readHistory(app, shifted)
    expect(answer).toHaveLength(6)
    expectSame(answer, runs, later, 1234.5 * MICROS_PER_SECOND, start + 8 * hour)
  })

  test('returns the same counts for filters with and without the history index', async () => {
    const app = await setup()
    const runs = randomPastRuns(3, 150, (state) => state.toLowerCase())
    await insertRuns(app, runs, '["red"]')
    await insertRuns(
      app,
      randomPastRuns(4, 50, (state) => state.toLowerCase()),
    )
    app.clock.set(start + 8 * hour)
    const failed = runs.filter(({ state }) => state === 'FAILED')
    const state = { type: { any_: ['FAILED'] } }
    for (const filters of [
      { flow_runs: { tags: { all_: ['red'] }, state } },
      { flow_runs: { tags: { all_: ['red'] }, state, name: { any_: ['a run'] } } },
      { flow_runs: { tags: { all_: ['red'] }, state }, flows: { name: { any_: ['a flow'] } } },
    ]) {
      expectSame(await readHistory(app, { ...halfDay, ...filters }), failed, start, 1.5 * hour, start + 8 * hour)
    }
    expect((await readHistory(app, { ...halfDay, deployments: { name: { any_: ['none'] } } })).every(({ states }) => states.length === 0)).toBe(true)
  })

  test('sums years of lateness without overflow', async () => {
    const app = await setup()
    const planned = { state: 'SCHEDULED', name: 'Late', expected: start, started: null, since: start, total: 0 }
    await insertRuns(app, Array(60).fill(planned))
    app.clock.set(toMicros('2200-01-01T00:00:00Z'))
    const [first] = await readHistory(app, { ...halfDay, history_interval_seconds: 86400 })
    expect(first?.states[0]?.sum_estimated_lateness).toBeCloseTo((60 * (toMicros('2200-01-01T00:00:00Z') - start)) / MICROS_PER_SECOND, 1)
  })

  test('returns at most 500 intervals within the supported time range', async () => {
    const app = await setup()
    expect(await readHistory(app, { ...halfDay, history_interval_seconds: 1 })).toHaveLength(500)
    expect(await readHistory(app, { ...halfDay, history_end: halfDay.history_start })).toEqual([])
    const { status, body } = await app.call('POST', '/flow_runs/history', { ...halfDay, history_interval_seconds: 1e300 })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', 'history_interval_seconds'])
  })
})

eachDialect('POST /task_runs/history', (setup) => {
  test('counts by expected start and state', async () => {
    const app = await setup()
    for (const [n, seconds] of [0, 1800, 3599, 3600].entries()) {
      const scheduled_time = formatTime(start + seconds * MICROS_PER_SECOND)
      await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: `${n}`, state: { type: 'SCHEDULED', state_details: { scheduled_time } } })
    }
    const span = { history_start: formatTime(start), history_end: formatTime(start + 2 * hour), history_interval_seconds: 3600 }
    const { body } = await app.call('POST', '/task_runs/history', span)
    expect(body).toMatchObject([{ states: [{ state_name: 'Scheduled', count_runs: 3 }] }, { states: [{ state_name: 'Scheduled', count_runs: 1 }] }])
    expect((await app.call('POST', '/task_runs/history', { ...span, flow_runs: { name: { any_: ['none'] } } })).body).toMatchObject([
      { states: [] },
      { states: [] },
    ])
  })
})

eachDialect('POST /flow_runs/lateness', (setup) => {
  test('is the average of the lateness of each run', async () => {
    const app = await setup()
    expect((await app.call('POST', '/flow_runs/lateness', {})).body).toBeNull()
    await insertRuns(
      app,
      randomPastRuns(11, 60, (state) => state),
    )
    app.clock.set(start + 8 * hour)
    const runs = (await app.call('POST', '/flow_runs/filter', {})).body as { estimated_start_time_delta: number }[]
    const average = runs.reduce((total, run) => total + run.estimated_start_time_delta, 0) / runs.length
    expect((await app.call('POST', '/flow_runs/lateness', {})).body).toBeCloseTo(average, 2)
    expect((await app.call('POST', '/flow_runs/lateness', { flow_runs: { state: { type: { any_: ['COMPLETED'] } } } })).body).toBeGreaterThan(0)
  })

  test('and the count of the runs of a range equal those of its runs, wherever it begins and ends', async () => {
    const app = await setup()
    const runs = randomPastRuns(12, 300, (state, n) => (n % 4 === 0 ? 'Special' : state))
    await insertRuns(app, runs)
    const now = start + 8 * hour
    app.clock.set(now)
    const random = seededRandom(13)
    const stateFilters: [object | null, (run: PastRun) => boolean][] = [
      [null, () => true],
      [{ type: { any_: ['FAILED', 'RUNNING'] } }, ({ state }) => state === 'FAILED' || state === 'RUNNING'],
      [{ name: { any_: ['Special'] } }, ({ name }) => name === 'Special'],
      [{ type: { any_: ['CRASHED'] } }, () => false],
    ]
    for (let n = 0; n < 12; n += 1) {
      const after = n % 5 === 0 ? null : start - 2 * hour + Math.floor(random.next() * 9 * hour)
      const before = n % 4 === 1 ? null : start + 3 * hour + Math.floor(random.next() * 9 * hour)
      const expected_start_time = { after_: after === null ? null : formatTime(after), before_: before === null ? null : formatTime(before) }
      for (const [state, matches] of stateFilters) {
        const within = runs.filter((run) => matches(run) && (after === null || run.expected >= after) && (before === null || run.expected <= before))
        const filter = { flow_runs: { expected_start_time, state } }
        expect((await app.call('POST', '/flow_runs/count', filter)).body).toBe(within.length)
        const { body } = await app.call('POST', '/flow_runs/lateness', filter)
        if (within.length === 0) expect(body).toBeNull()
        else expect(body).toBeCloseTo(sum(within.map((run) => lateness(run, now))) / within.length, 2)
      }
    }
  })

  test('of a range counts runs without a state', async () => {
    const app = await setup()
    await insertRuns(
      app,
      randomPastRuns(14, 10, (state) => state),
    )
    const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    await app.call('POST', '/flow_runs/', { flow_id: flow, state: null })
    const expected_start_time = { after_: formatTime(start - hour) }
    const listed = (await app.call('POST', '/flow_runs/filter', { flow_runs: { expected_start_time } })).body.length
    expect((await app.call('POST', '/flow_runs/count', { flow_runs: { expected_start_time } })).body).toBe(listed)
  })
})
