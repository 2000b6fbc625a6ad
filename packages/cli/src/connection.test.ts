import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { apiUrl, resolveConnection } from './connection.ts'
import { profilePath, writeProfiles } from './profiles.ts'

const home = newFolder('home')
writeProfiles(profilePath({ HOME: home }), {
  active: 'prod',
  profiles: { prod: { url: 'https://prod/api', auth_string: 'a:b' }, open: { url: 'http://open/api' } },
})

describe('the server', () => {
  test.each([
    ['the default', {}, { HOME: '/nonexistent' }, 'http://127.0.0.1:4200/api', 'default'],
    ['the active profile', {}, { HOME: home }, 'https://prod/api', 'profile prod'],
    ['a variable before the active profile', {}, { HOME: home, PREFECT_API_URL: 'http://p/api' }, 'http://p/api', 'PREFECT_API_URL'],
    [
      'our variable before that of other clients',
      {},
      { PREFECT_API_URL: 'http://p/api', MILLRACE_API_URL: 'http://m' },
      'http://m/api',
      'MILLRACE_API_URL',
    ],
    ['a given profile before a variable', { profile: 'open' }, { HOME: home, MILLRACE_API_URL: 'http://m' }, 'http://open/api', 'profile open'],
    ['--server before everything', { server: 'http://s:1' }, { HOME: home, MILLRACE_API_URL: 'http://m' }, 'http://s:1/api', '--server'],
    ['the default for an empty variable', {}, { HOME: '/nonexistent', MILLRACE_API_URL: '' }, 'http://127.0.0.1:4200/api', 'default'],
  ])('is %s', (_title, flags, env, url, source) => {
    expect(resolveConnection(flags, env)).toMatchObject({ url, source })
  })
})

describe('the credentials', () => {
  const file = join(home, 'secret')
  writeFileSync(file, 'file:secret\n')

  test('are those of the profile, or of the environment if it has none', () => {
    const env = { HOME: home, MILLRACE_API_AUTH_STRING: 'e:f' }
    expect(resolveConnection({}, env)).toMatchObject({ authString: 'a:b', credentialsSource: 'profile prod' })
    expect(resolveConnection({ profile: 'open' }, env)).toMatchObject({ authString: 'e:f', credentialsSource: 'MILLRACE_API_AUTH_STRING' })
  })

  test('are never those of the profile for another server', () => {
    expect(resolveConnection({ server: 'http://other' }, { HOME: home })).toMatchObject({
      authString: undefined,
      key: undefined,
      credentialsSource: '',
    })
  })

  test('can be in files', () => {
    const env = { HOME: '/nonexistent', MILLRACE_API_AUTH_STRING_FILE: file, MILLRACE_API_KEY_FILE: file, PREFECT_API_KEY: 'k' }
    expect(resolveConnection({}, env)).toMatchObject({
      authString: 'file:secret',
      key: 'file:secret',
      credentialsSource: 'MILLRACE_API_AUTH_STRING_FILE, MILLRACE_API_KEY_FILE',
    })
    expect(() => resolveConnection({}, { HOME: '/nonexistent', MILLRACE_API_KEY_FILE: '/nonexistent' })).toThrow(
      'MILLRACE_API_KEY_FILE: cannot read /nonexistent (ENOENT)',
    )
  })
})

test('a URL without a path gets /api, one with a path stays', () => {
  expect(apiUrl('http://x', '')).toBe('http://x/api')
  expect(apiUrl('http://x/', '')).toBe('http://x/api')
  expect(apiUrl('https://x/base/api/', '')).toBe('https://x/base/api')
})
