import { stateTypes } from '@millrace/contracts/state.ts'
import { describe, expect, test } from 'vitest'
import { aState, at, now, stateContextAt, timeAfter } from '../../test/orchestration-fixtures.ts'
import {
  awaitingConcurrencySlot,
  awaitingRetry,
  cached,
  cancelled,
  cancelling,
  copyAsNew,
  crashed,
  createState,
  defaultStateNames,
  failed,
  late,
  notReady,
  pending,
  resuming,
  running,
  scheduled,
} from './states.ts'

const plainDetails = {
  flow_run_id: null,
  task_run_id: null,
  child_flow_run_id: null,
  scheduled_time: null,
  cache_key: null,
  cache_expiration: null,
  deferred: false,
  untrackable_result: false,
  pause_timeout: null,
  pause_reschedule: false,
  pause_key: null,
  run_input_keyset: null,
  refresh_cache: null,
  retriable: null,
  transition_id: null,
  task_parameters_id: null,
  traceparent: null,
  deployment_concurrency_lease_id: null,
}

describe('createState', () => {
  test('needs only a type', () => {
    expect(createState(stateContextAt(), { type: 'RUNNING' })).toEqual({
      id: 'id-1',
      type: 'RUNNING',
      name: 'Running',
      timestamp: now,
      message: null,
      data: null,
      state_details: plainDetails,
    })
  })

  test.each(stateTypes)('names %s', (type) => {
    const { name } = createState(stateContextAt(), { type })
    expect(name).toBe(defaultStateNames[type])
    expect(name.toUpperCase()).toBe(type)
  })

  test.each([
    ['uses the default name for null', { name: null }, { name: 'Running' }],
    ['keeps an empty name', { name: '', message: '' }, { name: '', message: '' }],
    ['keeps the text of the data', { data: '{"b": 1.0, "a": 12345678901234567890}' }, { data: '{"b": 1.0, "a": 12345678901234567890}' }],
    ['treats JSON null as no data', { data: 'null' }, { data: null }],
    ['keeps false as data', { data: 'false' }, { data: 'false' }],
  ])('%s', (_name, sent, expected) => {
    expect(createState(stateContextAt(), { type: 'RUNNING', ...sent })).toMatchObject(expected)
  })

  test.each([
    ['schedules for now without a time', 'SCHEDULED', {}, timeAfter(0)],
    ['schedules for now with a null time', 'SCHEDULED', { scheduled_time: null }, timeAfter(0)],
    ['keeps the scheduled time', 'SCHEDULED', { scheduled_time: timeAfter(60) }, timeAfter(60)],
    ['normalizes the time format', 'SCHEDULED', { scheduled_time: '2031-02-01 11:30:00+02:00' }, timeAfter(0)],
    ['sets no time for other types', 'PENDING', {}, null],
    ['keeps a time of other types', 'PENDING', { scheduled_time: timeAfter(5) }, timeAfter(5)],
  ] as const)('%s', (_name, type, state_details, scheduled_time) => {
    expect(createState(stateContextAt(), { type, state_details }).state_details.scheduled_time).toBe(scheduled_time)
  })

  test('drops unknown details and keeps null for deferred', () => {
    const state_details = { deferred: null, untrackable_result: true, colour: 'red' }
    expect(createState(stateContextAt(), { type: 'RUNNING', state_details }).state_details).toEqual({
      ...plainDetails,
      deferred: null,
      untrackable_result: true,
    })
  })
})

test.each([
  ['creates Scheduled', scheduled(stateContextAt(), at(60)), 'SCHEDULED', 'Scheduled', 60],
  ['creates Late with the original time', late(stateContextAt(), at(-60)), 'SCHEDULED', 'Late', -60],
  ['creates Resuming for now', resuming(stateContextAt()), 'SCHEDULED', 'Resuming', 0],
  ['creates AwaitingConcurrencySlot', awaitingConcurrencySlot(stateContextAt(), 30), 'SCHEDULED', 'AwaitingConcurrencySlot', 30],
  ['creates AwaitingRetry', awaitingRetry(stateContextAt(), 0.5, aState('FAILED')), 'SCHEDULED', 'AwaitingRetry', 0.5],
] as const)('%s', (_name, state, type, name, seconds) => {
  expect(state).toMatchObject({ type, name, message: null, data: null, timestamp: now, state_details: { scheduled_time: timeAfter(seconds) } })
})

test('keeps the message, data and lease in AwaitingRetry', () => {
  const failure = aState('FAILED', { message: 'disk full', data: '[1]', state_details: { transition_id: 'once' } })
  expect(awaitingRetry(stateContextAt(), 1, failure, 'lease')).toMatchObject({
    message: 'disk full',
    data: '[1]',
    state_details: { transition_id: null, deployment_concurrency_lease_id: 'lease' },
  })
})

test.each([
  [pending(stateContextAt()), 'PENDING', null],
  [running(stateContextAt()), 'RUNNING', null],
  [failed(stateContextAt(), 'why'), 'FAILED', 'why'],
  [crashed(stateContextAt(), 'why'), 'CRASHED', 'why'],
  [cancelling(stateContextAt()), 'CANCELLING', null],
  [cancelled(stateContextAt(), 'why'), 'CANCELLED', 'why'],
] as const)('creates plain state %#', (state, type, message) => {
  expect(state).toMatchObject({ type, name: defaultStateNames[type], message, state_details: plainDetails })
})

test('pauses a task run with the timeout of its flow run', () => {
  const flowRunState = aState('PAUSED', { state_details: { pause_timeout: timeAfter(9), pause_reschedule: true, pause_key: 'k' } })
  expect(notReady(stateContextAt(), flowRunState)).toMatchObject({
    type: 'PAUSED',
    name: 'NotReady',
    state_details: { ...plainDetails, pause_timeout: timeAfter(9), pause_reschedule: true },
  })
})

test('copies a state with a new id and time', () => {
  const earlier = aState('COMPLETED', { message: 'm', data: '1', state_details: { cache_key: 'k' } }, at(-9))
  expect(copyAsNew(stateContextAt(), earlier)).toEqual({ ...earlier, id: 'id-1', timestamp: now })
  expect(cached(stateContextAt(), earlier)).toEqual({ ...earlier, id: 'id-1', timestamp: now, name: 'Cached' })
})
