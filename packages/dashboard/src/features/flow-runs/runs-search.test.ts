import { describe, expect, test } from 'vitest'
import { filtersAsSearch, hidesUpcoming, readRunsSearch, runsFilter, searchAsFilters, upcomingFilter } from './runs-search.ts'

const present = Date.UTC(2030, 0, 2)

describe('the URL', () => {
  test('ignores unknown values', () => {
    const params = { state: ['Failed', 'x'.repeat(201)], flow: 'id', parameter: 'nothing', sort: 'sideways', subflows: 'hide', page: '3' }
    expect(readRunsSearch(params)).toEqual({ state: ['Failed'], flow: ['id'], subflows: 'hide' })
  })

  test('round-trips through a saved search', () => {
    const search = readRunsSearch({ state: ['Failed', 'Late'], tag: 'a,b', parameter: ['region=eu', 'size=1'], since: '24h', name: 'etl' })
    expect(filtersAsSearch(searchAsFilters(search))).toEqual(search)
    expect(filtersAsSearch([{ object: 'flow', property: 'state', type: 'string', operation: 'equals', value: 'Failed' }])).toEqual({})
  })
})

describe('the run filter', () => {
  test('combines state types and the name Late with or_', () => {
    const { flow_runs } = runsFilter({ state: ['Late', 'Failed'] }, present)
    expect(flow_runs?.state).toEqual({ operator: 'or_', type: { any_: ['FAILED'] }, name: { any_: ['Late'] } })
    const named = runsFilter({ state: ['Reading', 'constructor'] }, present)
    expect(named.flow_runs?.state).toEqual({ operator: 'or_', name: { any_: ['Reading', 'constructor'] } })
  })

  test('resolves durations relative to the present', () => {
    expect(runsFilter({ since: '24h' }, present)).toEqual({ flow_runs: { expected_start_time: { after_: '2030-01-01T00:00:00.000Z' } } })
    const between = { since: '2030-01-01T10:00:00Z', until: '2030-01-01T11:00:00Z' }
    expect(runsFilter(between, present)).toEqual({ flow_runs: { expected_start_time: { after_: between.since, before_: between.until } } })
  })

  test('combines all filters', () => {
    const search = { flow: ['f'], deployment: ['d'], pool: ['p'], queue: ['q'], tag: ['t'], name: 'n', subflows: 'hide', upcoming: 'show' } as const
    expect(runsFilter({ ...search, flow: ['f'], deployment: ['d'], pool: ['p'], queue: ['q'], tag: ['t'], parameter: ['a.b=1'] }, present)).toEqual({
      flow_runs: {
        deployment_id: { any_: ['d'] },
        tags: { all_: ['t'] },
        parameters: { matches_: { a: { b: 1 } } },
        name: { like_: 'n' },
        parent_task_run_id: { is_null_: true },
      },
      flows: { id: { any_: ['f'] } },
      work_pools: { name: { any_: ['p'] } },
      work_pool_queues: { name: { any_: ['q'] } },
    })
  })

  test('hides upcoming runs unless the search asks for them', () => {
    expect(runsFilter({}, present)).toEqual({ flow_runs: { expected_start_time: { before_: '2030-01-02T00:02:00.000Z' } } })
    expect(upcomingFilter({}, present)).toEqual({ flow_runs: { expected_start_time: { after_: '2030-01-02T00:02:00.000Z' } } })
    expect(runsFilter({ upcoming: 'show' }, present)).toEqual({})
    expect([{}, { state: ['Failed'] }, { state: ['Scheduled'] }, { since: '1h' }, { sort: 'soonest' as const }].map(hidesUpcoming)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
