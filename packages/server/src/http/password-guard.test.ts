import { expect, test } from 'vitest'
import type { ApiError } from '../errors.ts'
import { GuessReport } from './guess-report.ts'
import { PasswordGuard } from './password-guard.ts'

function startGuard(trustedProxies: string[] = []) {
  const clock = { seconds: 1000 }
  const warnings: string[] = []
  const guard = new PasswordGuard({
    password: 'a:right',
    trustedProxies,
    report: new GuessReport((message) => warnings.push(message)),
    nowSeconds: () => clock.seconds,
  })
  const connect = (remoteAddress: string, headers: Record<string, string> = {}) => ({ headers, socket: { remoteAddress } })
  /** The status of a guess. */
  function guess(request: ReturnType<typeof connect>, password: string): number | string {
    try {
      guard.check(request, password)
      return 200
    } catch (error) {
      const { status, headers } = error as ApiError
      return status === 429 ? `429 after ${headers['retry-after']}` : status
    }
  }
  return { clock, warnings, connect, guess }
}

const attacker = '198.51.100.7'
let guesses = 0
const wrong = () => `a:${guesses++}`

test('an address waits longer after each wrong password above ten', () => {
  const { clock, connect, guess } = startGuard()
  for (let n = 0; n < 10; n += 1) expect(guess(connect(attacker), wrong())).toBe(401)
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(guess(connect(attacker), wrong())).toBe(`429 after ${seconds}`)
    expect(guess(connect(attacker), 'a:right')).toBe(`429 after ${seconds}`)
    clock.seconds += seconds
    expect(guess(connect(attacker), wrong())).toBe(401)
  }
  expect(guess(connect('198.51.100.8'), 'a:right')).toBe(200)
  clock.seconds += 60
  expect(guess(connect(attacker), 'a:right')).toBe(200)
})

test('an address starts anew after a quarter of an hour', () => {
  const { clock, connect, guess } = startGuard()
  for (let n = 0; n < 10; n += 1) guess(connect(attacker), wrong())
  clock.seconds += 15 * 60
  for (let n = 0; n < 10; n += 1) expect(guess(connect(attacker), wrong())).toBe(401)
  expect(guess(connect(attacker), wrong())).toBe('429 after 1')
})

test('the right password goes on working at an address from which it came within a day', () => {
  const { clock, connect, guess } = startGuard()
  expect(guess(connect(attacker), 'a:right')).toBe(200)
  for (let n = 0; n < 100; n += 1) guess(connect(attacker), wrong())
  expect(guess(connect(attacker), wrong())).toMatch(/^429/)
  expect(guess(connect(attacker), 'a:right')).toBe(200)
  clock.seconds += 24 * 3600
  for (let n = 0; n < 100; n += 1) guess(connect(attacker), wrong())
  expect(guess(connect(attacker), 'a:right')).toMatch(/^429/)
})

test('the right password goes on working on its connection, until a wrong one is sent there', () => {
  const { clock, connect, guess } = startGuard()
  const worker = connect(attacker)
  expect(guess(worker, 'a:right')).toBe(200)
  clock.seconds += 2 * 24 * 3600
  for (let n = 0; n < 100; n += 1) guess(connect(attacker), wrong())
  expect(guess(worker, 'a:right')).toBe(200)
  expect(guess(worker, wrong())).toBe(401)
  expect(guess(worker, 'a:right')).toMatch(/^429/)
})

test('a wrong password that is repeated counts once', () => {
  const { connect, guess } = startGuard()
  for (let n = 0; n < 100; n += 1) expect(guess(connect(attacker), 'a:outdated')).toBe(401)
  expect(guess(connect(attacker), 'a:right')).toBe(200)
})

test('a client has a whole IPv6 network of 64 bits, and IPv4 in two forms', () => {
  const { connect, guess } = startGuard()
  for (let n = 0; n < 10; n += 1) guess(connect(`2001:db8:0:7::${n}`), wrong())
  expect(guess(connect('2001:db8::7:1:2:3:4'), 'a:right')).toMatch(/^429/)
  expect(guess(connect('2001:db8:0:8::1'), 'a:right')).toBe(200)
  for (let n = 0; n < 10; n += 1) guess(connect(attacker), wrong())
  expect(guess(connect(`::ffff:${attacker}`), 'a:right')).toMatch(/^429/)
})

test('a trusted proxy names the client, and others cannot', () => {
  const { connect, guess } = startGuard(['10.0.0.0/8', '2001:db8::1'])
  const through = (proxy: string, forwarded: string) => connect(proxy, { 'x-forwarded-for': forwarded })
  for (let n = 0; n < 10; n += 1) guess(through('10.1.2.3', `203.0.113.${n}, ${attacker}, 10.9.9.9`), wrong())
  expect(guess(through('10.1.2.3', attacker), 'a:right')).toMatch(/^429/)
  expect(guess(through('2001:db8::1', `x, ${attacker}`), 'a:right')).toMatch(/^429/)
  expect(guess(through('10.1.2.3', '203.0.113.1'), 'a:right')).toBe(200)
  for (let n = 0; n < 10; n += 1) guess(through('192.0.2.1', `203.0.113.${n}`), wrong())
  expect(guess(through('192.0.2.1', '203.0.113.200'), 'a:right')).toMatch(/^429/)
})

test('the addresses that are remembered are limited', () => {
  const { connect, guess } = startGuard()
  for (let n = 0; n < 10; n += 1) guess(connect(attacker), wrong())
  for (let n = 0; n < 10_001; n += 1) guess(connect(`10.0.${n >> 8}.${n & 255}`), wrong())
  expect(guess(connect(attacker), 'a:right')).toBe(200)
})

test('the first wrong password is reported at once', () => {
  const { warnings, connect, guess } = startGuard()
  for (let n = 0; n < 20; n += 1) guess(connect(attacker), wrong())
  expect(warnings).toEqual([`Wrong password from ${attacker}`])
})
