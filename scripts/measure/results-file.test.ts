import { expect, test } from 'vitest'
import type { Section } from '../../packages/bench/src/results.ts'
import { createTemporaryTree } from '../temporary-tree.ts'
import { readResults, withSection } from './results-file.ts'

const section = (measured: string): Section => ({
  measured,
  machine: { cores: 2, processor: 'Test', memory_gb: 8, kernel: 'linux 6.1.0', node: '24.0.0' },
  versions: {},
  seconds: 1,
  repeats: 1,
  subjects: {},
})

test('has no sections before the first measurement', () => {
  expect(readResults(createTemporaryTree({}))).toEqual({ format: 1, sections: {} })
})

test('replaces one section and keeps the others', () => {
  const first = withSection({ format: 1, sections: {} }, 'sqlite', section('2030-01-01'), false)
  const both = withSection(first, 'growth', section('2030-01-02'), false)
  expect(withSection(both, 'sqlite', section('2030-01-03'), false).sections).toEqual({ sqlite: section('2030-01-03'), growth: section('2030-01-02') })
})

test('marks results as provisional until figures are written that are not', () => {
  const provisional = withSection({ format: 1, sections: {} }, 'sqlite', section('2030-01-01'), true)
  expect(provisional.is_provisional).toBe(true)
  expect(withSection(provisional, 'sqlite', section('2030-01-02'), false).is_provisional).toBeUndefined()
})
