import { expect, test } from 'vitest'
import { ResumePoint } from './resume-point.ts'

const at = (seconds: number) => `${new Date(Date.parse('2030-01-01T00:00:00Z') + seconds * 1000).toISOString().slice(0, -1)}000Z`
const item = (id: number | string, time: number, storedAt = time) => ({ id: String(id), time: at(time), storedAt: at(storedAt) })
const since = (seconds: number) => at(seconds).replace('000Z', 'Z')

test('recognizes items that arrive again', () => {
  const point = new ResumePoint(undefined)
  expect(point.accept(item('a', 1))).toBe(true)
  expect(point.accept(item('a', 1))).toBe(false)
  expect(point.acceptFound(item('a', 1))).toBe(false)
  expect(point.acceptFound(item('b', 1))).toBe(true)
})

test('searches from two minutes before the newest time of storing', () => {
  const point = new ResumePoint(undefined)
  expect(Date.now() - Date.parse(point.openSearch())).toBeGreaterThanOrEqual(86_400_000)
  point.closeSearch()
  point.accept(item('a', 1000))
  point.accept(item('late', 500, 1001))
  point.accept(item('from a clock that is ahead', 99_999, 1002))
  expect(point.openSearch()).toBe(since(882))
})

test('starts no search before the start that the consumer asked for', () => {
  const point = new ResumePoint(since(990))
  expect(point.openSearch()).toBe(since(990))
  point.closeSearch()
  point.accept(item('a', 1000))
  expect(point.openSearch()).toBe(since(990))
})

test('repeats a search that was not complete from its start', () => {
  const point = new ResumePoint(since(0))
  point.openSearch()
  point.acceptFound(item('a', 1, 50_000))
  expect(point.openSearch()).toBe(since(0))
  point.closeSearch()
  expect(point.openSearch()).toBe(since(49_880))
})

test('excludes the items that existed before', () => {
  const point = new ResumePoint(undefined)
  point.skipExisting(item('newest', 1000), 10)
  expect(point.openSearch()).toBe(since(990))
  expect(point.acceptFound(item('old', 995))).toBe(false)
  expect(point.acceptFound(item('new', 995, 1001))).toBe(true)
  point.closeSearch()
  expect(point.openSearch()).toBe(since(881))
})

test('excludes items by their time that it no longer remembers', () => {
  const point = new ResumePoint(undefined)
  for (let id = 0; id < 10_100; id += 1) point.accept(item(id, id / 100))
  // The newest 10,000 of 101 seconds are remembered.
  expect(point.openSearch()).toBe(since(0.99))
  expect(Array.from({ length: 10_100 }, (_, id) => id).filter((id) => point.acceptFound(item(id, id / 100)))).toEqual([])
  expect(point.acceptFound(item('new', 1))).toBe(true)
})
