import { describe, expect, test } from 'vitest'
import { isPlainWordsFile, plainWordViolations } from './plain-words.ts'

const violations = (path: string, text = '') => plainWordViolations([{ path, text }])

describe('retired names', () => {
  test.each(['const lane = 1', 'openLane()', 'LANES_MAX', 'new Lane()', "import './write-lane.ts'"])('are found in %s', (text) => {
    expect(violations('packages/server/src/lib/x.ts', `\n${text}\n`)).toEqual([
      'packages/server/src/lib/x.ts:2: the name "lane" is retired: use "write queue"',
    ])
  })

  test.each(['const planet = 1', 'millrace', 'habitat', 'milliseconds', 'indeed'])('are not found in %s', (text) => {
    expect(violations('packages/server/src/lib/x.ts', text)).toEqual([])
  })

  test('that occur in test data are found in code only', () => {
    expect(violations('packages/server/src/lib/x.test.ts', "const pool = 'mill' // mill")).toEqual([])
    expect(violations('packages/server/src/lib/x.test.ts', 'const mill = await openMill()')).toHaveLength(1)
  })

  test('are found in file names', () => {
    expect(violations('packages/server/src/domains/slot-book.ts')).toEqual([
      'packages/server/src/domains/slot-book.ts: the name "slot-book" is retired: use "slot ledger"',
    ])
  })
})

describe('retired phrases', () => {
  test('are found in comments and documents, in any case', () => {
    expect(violations('docs/x.md', 'Whoever waits,\nwaits for ever.')).toEqual([
      'docs/x.md:1: "whoever" is retired: use the client, the caller, the waiter …',
      'docs/x.md:2: "for ever" is retired: use forever, or the time limit',
    ])
  })

  test('are not found inside other words', () => {
    expect(violations('docs/x.md', 'for every run, forever')).toEqual([])
  })
})

test('table names keep retired words', () => {
  expect(violations('packages/server/src/events/x.ts', "kysely.selectFrom('event_chapter')")).toEqual([])
  expect(violations('packages/server/src/events/x.ts', 'const chapter = 1')).toHaveLength(1)
})

test('exceptions hold for their files and words only', () => {
  const text = "const aliases = ['PREFECT_FOREMAN']"
  expect(violations('packages/server/src/config/settings.ts', text)).toEqual([])
  expect(violations('packages/server/src/services/x.ts', text)).toHaveLength(1)
  expect(violations('packages/server/src/config/settings.ts', 'const lane = 1')).toHaveLength(1)
})

test('reads sources and documents, not the changelog or generated files', () => {
  expect(['a.ts', 'docs/a.md', 'interop/a.py', 'CHANGELOG.md', 'docs/openapi.json', 'a.png'].filter(isPlainWordsFile)).toEqual([
    'a.ts',
    'docs/a.md',
    'interop/a.py',
  ])
})
