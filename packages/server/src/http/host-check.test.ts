import { describe, expect, test } from 'vitest'
import { createHostMatcher } from './host-check.ts'

const own = { allowedHosts: [], uiUrl: '', listenHost: '127.0.0.1' }

describe('without a password', () => {
  const isAllowed = createHostMatcher(own)

  test.each([
    'localhost',
    'localhost:4200',
    'LOCALHOST:4200',
    'localhost.',
    'mill.localhost:4200',
    '127.0.0.1:4200',
    '0.0.0.0',
    '192.168.1.20:4200',
    '203.0.113.7',
    '[::1]:4200',
    '[::1]',
    '[fe80::1]',
    '[::ffff:127.0.0.1]:80',
    'millrace',
    'millrace:4200',
    'my_mill',
    'mill.local',
    'host.docker.internal:4200',
    'ip-10-0-0-1.eu-west-1.compute.internal',
    'mill.default.svc',
    'mill.default.svc.cluster.local:4200',
    'mill.default.svc.cluster.local.:4200',
    'nas.lan',
    'nas.home.arpa',
    'nas.home',
    'mill.corp',
    'mill.test',
    'mill.localdomain',
    'mill.intranet',
    'mill.private',
    'mill.docker',
  ])('accepts %s', (host) => {
    expect(isAllowed(host)).toBe(true)
  })

  test.each([
    'evil.example',
    'evil.example:4200',
    'evil.com.',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    '127.0.0.1.nip.io:4200',
    'local.evil.com',
    'internal.com',
    'svc.com',
    'home.arpa.com',
    'nothome.arpa',
    'arpa.com',
    '1.2.3.4.5',
    '[::1].evil.com',
    'mill.default',
    'xn--mller-kva.de',
  ])('rejects %s', (host) => {
    expect(isAllowed(host)).toBe(false)
  })
})

test('accepts the hosts of the settings', () => {
  const isAllowed = createHostMatcher({
    allowedHosts: ['Mill.Example.com', 'other.example.com:8080', '*.mills.example'],
    uiUrl: 'https://ui.example:8443/path',
    listenHost: 'box.example',
  })
  for (const host of [
    'mill.example.com:4200',
    'other.example.com',
    'a.mills.example',
    'a.b.mills.example:1',
    'ui.example',
    'ui.example:8443',
    'box.example:4200',
  ])
    expect([host, isAllowed(host)]).toEqual([host, true])
  for (const host of ['example.com', 'x.mill.example.com', 'mills.example', 'evilmills.example', 'ui.example.com'])
    expect([host, isAllowed(host)]).toEqual([host, false])
})

test('accepts every host with *', () => {
  expect(createHostMatcher({ ...own, allowedHosts: ['mill.example', '*'] })('evil.example')).toBe(true)
})
