import { expect, test } from 'vitest'
import { allProofs } from './all-proofs.ts'
import { atLeast, below, exactly, largest, percentile } from './figure.ts'
import { OptionError, readOptions } from './options.ts'
import type { Proof } from './proof.ts'
import { proofPage } from './proof-page.ts'
import { slopeOf } from './proofs/soak.ts'
import { type ProofResult, withResult } from './results-file.ts'

const proof: Proof = {
  id: 'R1',
  promise: 'nothing is lost',
  databases: ['sqlite', 'postgres'],
  full: { amount: 200, unit: 'kills' },
  method: 'By killing.',
  failure: 'A loss.',
  run: async () => [],
}

const result: ProofResult = {
  id: 'R1',
  database: 'sqlite',
  passed: false,
  figures: [exactly('lost', 1, 0), below('start', 1234.5, 2000, 'ms')],
  size: 0.5,
  amount: '100 kills',
  seed: 7,
  seconds: 61.2,
  date: '2026-01-02T03:04:05.000Z',
  commit: 'abc',
  machine: { cores: 2, processor: 'a processor', memory_gb: 8, kernel: 'linux', node: '24' },
  foreign_cores: 1.5,
}

test('the page has a row for each figure, with the command that repeats it, and marks failures and shared machines', () => {
  const page = proofPage([result], [proof])
  expect(page).toContain(
    '| R1: nothing is lost | SQLite | lost | 0 | **1** (failed) | 100 kills in 61 s | 2026-01-02 | 2 cores, a processor, 8 GB, *shared* (1.5 cores) | `npm run proof -- R1 --database sqlite --size 0.5 --seed 7` |',
  )
  expect(page).toContain('| | | start | < 2000 ms | 1230 ms |')
  expect(page).toContain('### R1: nothing is lost\n\nBy killing. Full size: 200 kills.\n\n**Failure:** A loss.')
})

test('the page says what was not run and what was skipped', () => {
  expect(proofPage([], [proof])).toContain('| R1: nothing is lost | | | | not run yet |')
  expect(proofPage([{ ...result, figures: [], skipped: 'needs root' }], [proof])).toContain('skipped: needs root')
})

test('a result replaces that of the same proof and database', () => {
  const first = withResult({ format: 1, results: [] }, result)
  const both = withResult(withResult(first, { ...result, database: 'postgres' }), { ...result, seed: 8 })
  expect(both.results.map(({ database, seed }) => [database, seed])).toEqual([
    ['sqlite', 8],
    ['postgres', 7],
  ])
})

test('options select proofs by name and size, and reject what is unknown', () => {
  expect(readOptions(['r3', 'R1', '--size', '0.1'])).toMatchObject({ size: 0.1, proofs: [{ id: 'R1' }, { id: 'R3' }] })
  expect(readOptions([])).toMatchObject({ size: undefined, proofs: allProofs })
  expect(readOptions(['R1'])).toMatchObject({ size: 1 })
  expect(() => readOptions(['R99'])).toThrow(OptionError)
  expect(() => readOptions(['R1', '--size', 'big'])).toThrow('--size: "big" is not a number')
  expect(() => readOptions(['--database', 'oracle'])).toThrow('Use sqlite or postgres')
})

test('every proof has its own name, and says how it works and what counts as a failure', () => {
  expect(new Set(allProofs.map(({ id }) => id)).size).toBe(allProofs.length)
  for (const { method, failure } of allProofs) expect(Math.min(method.length, failure.length)).toBeGreaterThan(20)
})

test('figures compare with their limit', () => {
  expect(below('x', 5, 5).passed).toBe(false)
  expect(below('x', Number.NaN, 5).passed).toBe(false)
  expect(atLeast('x', 5, 5).passed).toBe(true)
  expect(exactly('x', 0, 0).passed).toBe(true)
  expect([percentile([3, 1, 2], 0.5), percentile([], 0.5), largest([1, 3, 2])]).toEqual([2, 0, 3])
  expect(slopeOf([1, 2, 3].map((at) => ({ at, value: 10 + 2 * at })))).toBeCloseTo(2)
})
