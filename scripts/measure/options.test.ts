import { expect, test } from 'vitest'
import { OptionError, readOptions } from './options.ts'

test('measures both databases for a short time by default', () => {
  expect(readOptions([])).toMatchObject({ sections: ['sqlite', 'postgres'], seconds: 1.5, users: 16, repeats: 1, isWritten: false, isCheck: false })
})

test('measures all sections with --full, the reference only if it is there', () => {
  expect(readOptions(['--full'])?.sections).toEqual(['clients', 'sqlite', 'postgres', 'processes', 'sockets', 'growth', 'memory'])
  expect(readOptions(['--full', '--reference', 'python3'])?.sections).toEqual([
    'clients',
    'sqlite',
    'postgres',
    'reference',
    'processes',
    'sockets',
    'growth',
    'memory',
  ])
  expect(readOptions(['--full'])).toMatchObject({ seconds: 5, repeats: 3, minutes: 60, sizes: [1000, 10_000, 100_000, 1_000_000] })
})

test('measures two versions if another checkout is given', () => {
  expect(readOptions(['--before', '../older'])).toMatchObject({ sections: ['versions'], before: '../older' })
  expect(readOptions(['--full', '--before', '../older'])?.sections).toEqual([
    'clients',
    'sqlite',
    'postgres',
    'processes',
    'versions',
    'sockets',
    'growth',
    'memory',
  ])
})

test('leaves out the section of a database that is not wanted', () => {
  expect(readOptions(['--databases', 'sqlite'])).toMatchObject({ sections: ['sqlite'], databases: ['sqlite'] })
  expect(readOptions(['--full', '--databases', 'sqlite'])?.sections).toEqual(['clients', 'sqlite', 'sockets', 'growth', 'memory'])
})

test.each([
  [['--seconds', '0'], '--seconds: "0" is not a number above 0.'],
  [['--section', 'oracle'], '--section: "oracle" is unknown.'],
  [['--databases', 'mysql'], '--databases: "mysql" is unknown.'],
  [['--only', 'sleep'], '--only: "sleep" is unknown.'],
  [['--section', 'reference'], '--section reference needs --reference PYTHON'],
  [['--section', 'versions'], '--section versions needs --before FOLDER'],
])('rejects %j', (argv, message) => {
  expect(() => readOptions(argv)).toThrow(OptionError)
  expect(() => readOptions(argv)).toThrow(message)
})

test('returns nothing for --help', () => {
  expect(readOptions(['--help'])).toBeUndefined()
})
