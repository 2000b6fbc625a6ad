import { expect, test } from 'vitest'
import { compareRatios, comparisonTable } from './regression.ts'
import type { Figure, Figures } from './results.ts'

const figure = (per_second: number, more: Partial<Figure> = {}): Figure => ({
  unit: 'runs',
  users: 16,
  per_second,
  p50_ms: 1,
  p95_ms: 1,
  p99_ms: 1,
  errors: 0,
  client_cores: 0.1,
  repeats: 1,
  ...more,
})
const round = (subject: Record<string, number>, prototype: Record<string, number>) => ({
  subject: toFigures(subject),
  prototype: toFigures(prototype),
})
const toFigures = (rates: Record<string, number>): Figures => Object.fromEntries(Object.entries(rates).map(([key, rate]) => [key, figure(rate)]))

const committed = round({ 'lifecycle@16': 600, 'tasks@16': 800, 'history.week_1h@16': 50 }, { 'lifecycle@16': 1000, 'tasks@16': 1600 })

test('accepts a machine of half the speed', () => {
  const now = round({ 'lifecycle@16': 300, 'tasks@16': 400 }, { 'lifecycle@16': 500, 'tasks@16': 800 })
  expect(compareRatios(committed, [now])).toEqual([
    { key: 'lifecycle@16', before: 0.6, now: 0.6, change: 0, isSlower: false },
    { key: 'tasks@16', before: 0.5, now: 0.5, change: 0, isSlower: false },
  ])
})

test('reports a workload that lost more than the tolerance', () => {
  const now = round({ 'lifecycle@16': 500, 'tasks@16': 700 }, { 'lifecycle@16': 1000, 'tasks@16': 1600 })
  const found = compareRatios(committed, [now])
  expect(found.map(({ key, isSlower }) => [key, isSlower])).toEqual([
    ['lifecycle@16', true],
    ['tasks@16', false],
  ])
  expect(compareRatios(committed, [now], 0.2).some(({ isSlower }) => isSlower)).toBe(false)
})

test('uses the median of all rounds, so that one disturbed round does not count', () => {
  const good = round({ 'lifecycle@16': 610 }, { 'lifecycle@16': 1000 })
  const disturbed = round({ 'lifecycle@16': 200 }, { 'lifecycle@16': 1000 })
  expect(compareRatios(committed, [disturbed]).map(({ isSlower }) => isSlower)).toEqual([true])
  expect(compareRatios(committed, [disturbed, good, good]).map(({ isSlower }) => isSlower)).toEqual([false])
})

test('counts a failed workload as slower', () => {
  const failed = { subject: { 'lifecycle@16': figure(0, { failure: 'timeout' }) }, prototype: toFigures({ 'lifecycle@16': 1000 }) }
  expect(compareRatios(committed, [failed])).toMatchObject([{ key: 'lifecycle@16', now: 0, isSlower: true }])
})

test('shows slower workloads first', () => {
  const now = round({ 'lifecycle@16': 660, 'tasks@16': 600 }, { 'lifecycle@16': 1000, 'tasks@16': 1600 })
  expect(comparisonTable(compareRatios(committed, [now]))).toBe(
    [
      '| workload@users | committed ratio | ratio now | change | |',
      '|---|--:|--:|--:|---|',
      '| tasks@16 | 0.500 | 0.375 | -25 % | slower |',
      '| lifecycle@16 | 0.600 | 0.660 | +10 % | ok |',
    ].join('\n'),
  )
})
