import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Authentication } from './auth.ts'
import { GuessReport } from './guess-report.ts'
import { PasswordGuard } from './password-guard.ts'

const password = 'miller:grist: fine'
const guard = () => new PasswordGuard({ password, trustedProxies: [], report: new GuessReport(() => {}), nowSeconds: () => 0 })
const requestWith = (headers: Record<string, string>) => ({ headers, socket: { remoteAddress: '10.0.0.1' } }) as unknown as IncomingMessage
const basic = (pair: string) => requestWith({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
const anonymous = { kind: 'anonymous', id: null, name: 'anonymous' }
const miller = { kind: 'user', id: null, name: 'miller' }

describe('with a password', () => {
  const authentication = new Authentication(guard(), password)

  test('the sender of a request is the user of the password, and never the password', () => {
    expect(authentication.ofRequest(basic(password), 'flows:read')).toEqual(miller)
    expect(new Authentication(guard(), 'secret').ofRequest(basic(password), 'flows:read')).toEqual({ ...miller, name: 'user' })
  })

  test('a request and a token are refused by the scope, and a public one is anonymous', () => {
    expect(() => authentication.ofRequest(requestWith({}), 'flows:read')).toThrow('Missing or wrong credentials')
    expect(() => authentication.ofRequest(basic('miller:chaff'), 'flows:read')).toThrow('Missing or wrong credentials')
    expect(() => authentication.ofToken(requestWith({}), 'events:write', 'miller:chaff')).toThrow('Missing or wrong credentials')
    expect(authentication.ofToken(requestWith({}), 'events:write', password)).toEqual(miller)
    expect(authentication.ofRequest(requestWith({}), 'public')).toEqual(anonymous)
    expect(authentication.ofToken(requestWith({}), 'public', '')).toEqual(anonymous)
    expect([authentication.requiresCredentials('logs:read'), authentication.requiresCredentials('public')]).toEqual([true, false])
  })
})

test('without a password everybody is anonymous', () => {
  const authentication = new Authentication(undefined, null)
  expect(authentication.ofRequest(basic(password), 'flows:write')).toEqual(anonymous)
  expect(authentication.ofToken(requestWith({}), 'logs:read', 'anything')).toEqual(anonymous)
  expect(authentication.requiresCredentials('logs:read')).toBe(false)
})
