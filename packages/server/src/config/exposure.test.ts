import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { exposureProblem, exposureWarnings, isLoopback, isOpenToNetwork } from './exposure.ts'

const configOf = (argv: string[], env: Record<string, string> = {}) => readConfig(env, argv).config

test.each(['127.0.0.1', '127.8.9.10', '::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LocalHost', 'mill.localhost'])(
  'treats %s as loopback',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  '0.0.0.0',
  '::',
  '[::]',
  '::2',
  '192.168.1.4',
  '10.0.0.1',
  '::ffff:10.0.0.1',
  'fe80::1',
  '1::1',
  'mill',
  'mill.example',
  '127.evil.example',
  '0',
])('treats %s as reachable by other machines', (host) => {
  expect(isLoopback(host)).toBe(false)
})

describe('a server without a password that other machines can reach', () => {
  test.each(['0.0.0.0', '::', '192.168.1.4', 'mill.example'])('does not start on %s', (host) => {
    expect(exposureProblem(configOf(['--host', host]))).toMatch(new RegExp(`${host.replaceAll('.', '\\.')}.*AUTH_STRING.*--allow-anonymous`))
    expect(exposureProblem(configOf([], { MILLRACE_SERVER_HOST: host }))).toBeDefined()
  })

  test.each<[string, string[], Record<string, string>]>([
    ['the flag', ['--host', '0.0.0.0', '--allow-anonymous'], {}],
    ['the setting', ['--host', '0.0.0.0'], { MILLRACE_SERVER_ALLOW_ANONYMOUS: 'true' }],
  ])('starts with %s, with a warning', (_name, argv, env) => {
    const config = configOf(argv, env)
    expect(exposureProblem(config)).toBeUndefined()
    expect(exposureWarnings(config)).toEqual([expect.stringMatching(/^No password is set.*0\.0\.0\.0:4200/)])
    expect(isOpenToNetwork(config)).toBe(true)
  })
})

test.each<[string, string[], Record<string, string>]>([
  ['on the default address', [], {}],
  ['with a password', ['--host', '0.0.0.0'], { MILLRACE_SERVER_API_AUTH_STRING: 'a:b' }],
  ['that does not listen', ['--host', '0.0.0.0', '--services-only'], {}],
])('starts a server %s without a warning', (_name, argv, env) => {
  const config = configOf(argv, env)
  expect([exposureProblem(config), exposureWarnings(config), isOpenToNetwork(config)]).toEqual([undefined, [], false])
})
