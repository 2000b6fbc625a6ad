import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { usage } from './flags.ts'
import { accepts } from './read-value.ts'
import { aliasName, environmentName, listSettings } from './setting.ts'
import { Settings } from './settings.ts'

const all = listSettings(Settings)

test('has no name that two settings share', () => {
  const names = all.flatMap(({ place, setting }) => [environmentName(place), ...(setting.aliases ?? []).map(aliasName)])
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

const namesOf = (settings: typeof all) => settings.map(({ place }) => place.join('.'))

test('describes every setting in one sentence', () => {
  expect(namesOf(all.filter(({ setting }) => !/^[A-Z][^.]+\.$/.test(setting.description)))).toEqual([])
})

test('has only defaults that the setting accepts', () => {
  expect(namesOf(all.filter(({ setting }) => !Value.Check(setting, setting.default)))).toEqual([])
})

test('limits intervals to what a Node timer supports', () => {
  const timers = all.filter(({ place }) => /every_seconds|_interval_seconds|_timeout_seconds|granularity|grace_seconds/.test(place.join('.')))
  expect(timers.length).toBeGreaterThan(10)
  expect(namesOf(timers.filter(({ setting }) => accepts(setting, 2 ** 31 / 1000)))).toEqual([])
})

test('validates values as TypeBox does', () => {
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

test('names the unit in every setting that measures something', () => {
  const counts =
    /_(heartbeats|size|length|limit|runs|nodes|artifacts|resources|per_resource|per_request|per_minute|per_event|multiple|ratio)$|\.(port|keep)$/
  const measures = all.filter(({ setting }) => typeof setting.default === 'number')
  expect(namesOf(measures).filter((name) => !/_(bytes|seconds|days)$/.test(name) && !counts.test(name))).toEqual([])
})

test('returns a configuration that matches the schema', () => {
  expect(Value.Check(Settings, readConfig({}, []).config)).toBe(true)
})

test('shows the flags and defaults of the settings in the help', () => {
  const { server } = readConfig({}, []).config
  expect(usage('millrace server start')).toContain(`--port PORT        port to listen on (${server.port})`)
  expect(usage('millrace server start')).toContain(`address to listen on (${server.host})`)
})
