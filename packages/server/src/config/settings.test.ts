import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { usage } from './flags.ts'
import { accepts } from './read-value.ts'
import { aliasName, environmentName, listSettings } from './setting.ts'
import { Settings } from './settings.ts'

const all = listSettings(Settings)

test('no two settings answer to one name', () => {
  const names = all.flatMap(({ place, setting }) => [environmentName(place), ...(setting.aliases ?? []).map(aliasName)])
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

const namesOf = (settings: typeof all) => settings.map(({ place }) => place.join('.'))

test('every setting says in one sentence what it is', () => {
  expect(namesOf(all.filter(({ setting }) => !/^[A-Z][^.]+\.$/.test(setting.description)))).toEqual([])
})

test('every default is a value that the setting would accept', () => {
  expect(namesOf(all.filter(({ setting }) => !Value.Check(setting, setting.default)))).toEqual([])
})

test('an interval stays within what a timer of Node can wait', () => {
  const timers = all.filter(({ place }) => /every_seconds|_interval_seconds|_timeout_seconds|granularity|grace_seconds/.test(place.join('.')))
  expect(timers.length).toBeGreaterThan(10)
  expect(namesOf(timers.filter(({ setting }) => accepts(setting, 2 ** 31 / 1000)))).toEqual([])
})

test('our own reading of a schema is that of TypeBox', () => {
  const samples = [
    -1,
    0,
    0.5,
    1,
    3600,
    65_536,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    null,
    '',
    'a:b',
    ':',
    '/x',
    'x y',
    'info',
    'loud',
    [],
    ['a'],
    [''],
    [1],
  ]
  const differing = all.flatMap(({ place, setting }) =>
    samples.filter((sample) => accepts(setting, sample) !== Value.Check(setting, sample)).map((sample) => [place.join('.'), sample]),
  )
  expect(differing).toEqual([])
})

test('the name of what is measured says in which unit', () => {
  const counts = /_(heartbeats|size|length|limit|runs|nodes|artifacts|resources|per_resource|per_request|per_minute|per_event|multiple)$|\.port$/
  const measures = all.filter(({ setting }) => typeof setting.default === 'number')
  expect(namesOf(measures).filter((name) => !/_(bytes|seconds|days)$/.test(name) && !counts.test(name))).toEqual([])
})

test('the configuration has the shape of the schema', () => {
  expect(Value.Check(Settings, readConfig({}, []).config)).toBe(true)
})

test('the help names the flags and the defaults that the settings have', () => {
  const { server } = readConfig({}, []).config
  expect(usage('millrace server start')).toContain(`--port PORT        port to listen on (${server.port})`)
  expect(usage('millrace server start')).toContain(`address to listen on (${server.host})`)
})
