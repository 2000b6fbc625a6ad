import { afterEach, expect, test, vi } from 'vitest'
import { OpenMemory, RememberedRows, rowKind } from './remembered-rows.ts'

interface Named {
  readonly name: string
}

const flows = rowKind<Named>('flow')

function open(): { rows: RememberedRows; begin: (hasWrittenUnknown?: () => boolean) => OpenMemory } {
  const rows = new RememberedRows()
  return { rows, begin: (hasWrittenUnknown = () => false) => new OpenMemory(rows, hasWrittenUnknown) }
}

afterEach(() => vi.restoreAllMocks())

test('a row is known after the commit of the transaction that kept it', () => {
  const { begin } = open()
  const first = begin()
  first.keep(flows, 'a', () => ({ name: 'one' }))
  expect(begin().find(flows, 'a')).toBeUndefined()
  first.commit()
  expect(begin().find(flows, 'a')).toEqual({ name: 'one' })
})

test('a row that a transaction has taken is not known to others', () => {
  const { rows, begin } = open()
  rows.remember(flows, 'a', { name: 'one' })
  expect(begin().take(flows, 'a')).toEqual({ name: 'one' })
  expect(begin().find(flows, 'a')).toBeUndefined()
})

test('nothing is known in a transaction that has written unknown rows', () => {
  const { rows, begin } = open()
  rows.remember(flows, 'a', { name: 'one' })
  expect(begin(() => true).find(flows, 'a')).toBeUndefined()
})

test('a transaction that began before everything was forgotten is not remembered', () => {
  const { rows, begin } = open()
  const early = begin()
  early.keep(flows, 'a', () => ({ name: 'one' }))
  rows.forgetAll()
  early.commit()
  expect(begin().find(flows, 'a')).toBeUndefined()
})

test('a row is known for ten seconds', () => {
  const { rows } = open()
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
  rows.remember(flows, 'a', { name: 'one' })
  now.mockReturnValue(10_900)
  expect(rows.find(flows, 'a')).toBeDefined()
  now.mockReturnValue(11_000)
  expect(rows.find(flows, 'a')).toBeUndefined()
})

test('the oldest rows are forgotten when all are too large together, and one that is too large alone at once', () => {
  const { rows } = open()
  const name = 'n'.repeat(5000)
  for (let n = 0; n < 1000; n += 1) rows.remember(flows, String(n), { name })
  expect([rows.find(flows, '0'), rows.find(flows, '999')]).toEqual([undefined, { name }])
  rows.remember(flows, '999', { name: 'n'.repeat(10_000) })
  expect(rows.find(flows, '999')).toBeUndefined()
  expect(rows.find(flows, '998')).toEqual({ name })
})
